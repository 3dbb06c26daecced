import type { Store } from '../api/store.ts';
import { orNotFound, retried, type Db } from '../db/query.ts';

export const createApiKey =
  (db: Db): Store['keys']['create'] =>
  async (key) => {
    await retried(false, () => db.prisma.apiKey.create({ data: key }));
  };

/** Null for an unknown or revoked key. */
export const apiKeyByHash =
  (db: Db): Store['keys']['byHash'] =>
  (hash) =>
    retried(true, () =>
      db.prisma.apiKey.findFirst({
        where: { hash, revokedAt: null },
        select: { id: true, name: true, scopes: true },
      }),
    );

export const listApiKeys =
  (db: Db): Store['keys']['list'] =>
  () =>
    retried(true, () =>
      db.prisma.apiKey.findMany({ omit: { hash: true }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),
    );

/** Once revoked it stays so. @throws NOT_FOUND */
export const revokeApiKey =
  (db: Db): Store['keys']['revoke'] =>
  async (id) => {
    const revoked = await retried(true, () =>
      db.prisma.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: db.clock.now() } }),
    );
    if (revoked.count > 0) return;
    orNotFound(await retried(true, () => db.prisma.apiKey.findUnique({ where: { id } })), `key ${id}`);
  };
