/** The whole store as lines of JSON, for backups and for another database. */
export interface TransferApi {
  /** A head, each table with its rows, an end with count and SHA-256; the same store gives the same lines. */
  exportLines(): AsyncGenerator<string>;
  /**
   * Puts exported lines into this store, which must be empty, whole or not at all; it takes over the exported store's identity,
   * so open it again afterwards. @throws RECORD_FILE_INVALID, naming `name` and the line; CONFLICT when the store is not empty
   */
  importLines(lines: AsyncIterable<string>, options: { name: string }): Promise<{ rows: number }>;
}
