/** Commands that carry an id of their caller's choice. */
export interface CommandsApi {
  /**
   * Writes down what is asked under an id, the first time; gives what was asked then. A caller that finds another request has met an
   * id that is in use. @throws DATABASE_UNREACHABLE
   */
  open(command: { id: string; actor: string; request: string }): Promise<string>;
}
