import type { Store } from '../api/store.ts';
import { wellFormed } from '../db/bindable.ts';
import { orNotFound, retried, type Db } from '../db/query.ts';
import type { PrismaClient } from '../generated/client.ts';

export const createApiKey =
  (db: Db): Store['keys']['create'] =>
  async ({ id, name, hash, prefix, scopes }) => {
    const data = {
      id: wellFormed(id),
      name: wellFormed(name),
      hash: wellFormed(hash),
      prefix: wellFormed(prefix),
      scopes: scopes.map(wellFormed),
    };
    await call(db, false, (prisma) => prisma.apiKey.create({ data }));
  };

/** Null for an unknown or revoked key. */
export const apiKeyByHash =
  (db: Db): Store['keys']['byHash'] =>
  (hash) =>
    call(db, true, (prisma) =>
      prisma.apiKey.findFirst({
        where: { hash: wellFormed(hash), revokedAt: null },
        select: { id: true, name: true, scopes: true },
      }),
    );

export const listApiKeys =
  (db: Db): Store['keys']['list'] =>
  () =>
    call(db, true, (prisma) =>
      prisma.apiKey.findMany({ omit: { hash: true }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),
    );

/** Once revoked it stays so. @throws NOT_FOUND */
export const revokeApiKey =
  (db: Db): Store['keys']['revoke'] =>
  async (keyId) => {
    const id = wellFormed(keyId);
    const revoked = await call(db, true, (prisma) =>
      prisma.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: db.clock.now() } }),
    );
    if (revoked.count > 0) return;
    orNotFound(await call(db, true, (prisma) => prisma.apiKey.findUnique({ where: { id } })), `key ${keyId}`);
  };

/** Calls Prisma with the store's rules for repeating and its errors. What may be any text is made well-formed before. */
function call<T>(db: Db, readonly: boolean, work: (prisma: PrismaClient) => Promise<T>): Promise<T> {
  return retried(readonly, async () => work(await db.prisma()));
}
