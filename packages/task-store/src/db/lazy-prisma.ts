import type { PrismaClient } from '../generated/client.ts';

/** A client that is loaded by its first call. */
export interface LazyPrisma {
  client: PrismaClient;
  /** Ends it, if it was ever loaded. */
  disconnect(): Promise<void>;
}

type Call = (...args: unknown[]) => Promise<unknown>;

/**
 * Puts off the loading of Prisma, a third of what a short command costs, until a query needs it: most statements are plain SQL.
 * Only `client.<model>.<operation>(…)` is there.
 */
export function lazyPrisma(load: () => Promise<PrismaClient>): LazyPrisma {
  let loading: Promise<PrismaClient> | undefined;
  const call =
    (model: string, operation: string): Call =>
    async (...args) => {
      const loaded = (await (loading ??= load())) as unknown as Record<string, Record<string, Call>>;
      return loaded[model]?.[operation]?.(...args);
    };
  const modelOf = (model: string) =>
    new Proxy(
      {},
      { get: (_, operation) => (typeof operation === 'string' ? call(model, operation) : undefined) },
    );
  const client = new Proxy({}, { get: (_, name) => (typeof name === 'string' ? modelOf(name) : undefined) });
  return {
    client: client as PrismaClient,
    disconnect: async () => (await loading)?.$disconnect(),
  };
}
