/** API keys. */
export interface KeysApi {
  create(key: { id: string; name: string; hash: string; prefix: string; scopes: string[] }): Promise<void>;
  byHash(hash: string): Promise<{ id: string; name: string; scopes: string[] } | null>;
  list(): Promise<
    { id: string; name: string; prefix: string; scopes: string[]; createdAt: Date; revokedAt: Date | null }[]
  >;
  /** @throws NOT_FOUND */
  revoke(id: string): Promise<void>;
}
