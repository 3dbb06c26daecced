import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '../generated/client.ts';

/** Opens Prisma on a pool. */
export function openPrisma(pool: pg.Pool): PrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg(pool, { onPoolError: () => undefined, onConnectionError: () => undefined }),
  });
}
