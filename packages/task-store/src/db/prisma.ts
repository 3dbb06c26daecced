import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { cleanData } from './bindable.ts';
import { PrismaClient } from '../generated/client.ts';

/** Opens Prisma on a pool. What Postgres refuses in text and JSON is replaced in every call. */
export function openPrisma(pool: pg.Pool): PrismaClient {
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { onPoolError: () => undefined, onConnectionError: () => undefined }),
  });
  const extended = prisma.$extends({
    query: { $allOperations: ({ args, query }) => query(cleanData(args) as typeof args) },
  });
  return extended as unknown as PrismaClient;
}
