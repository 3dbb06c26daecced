import { BatonError } from '@baton/contracts';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { expect, it } from 'vitest';
import { PrismaClient } from '../generated/client.ts';
import { codeOf, fromPgError, isConnectionError, isContention } from './pg-error.ts';

/** What a call through Prisma throws when the driver below it fails so; nothing is connected to. */
async function throughPrisma(failure: Error): Promise<unknown> {
  const pool = new pg.Pool({});
  Object.assign(pool, { query: () => Promise.reject(failure) });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  return prisma.cursor.findMany().then(
    () => null,
    (error: unknown) => error,
  );
}

const failure = (
  message: string,
  given: { code?: string; severity?: string; syscall?: string } = {},
): Error => Object.assign(new Error(message), given);

it.each([
  ['a server that recovers', failure('in recovery mode', { code: '57P03', severity: 'FATAL' })],
  ['a server that is shut down', failure('terminating connection', { code: '57P01', severity: 'FATAL' })],
  ['a connection that is cut', failure('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })],
  ['nobody at the port', failure('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' })],
  ['a connection that ended', failure('Connection terminated unexpectedly')],
  ['a connection that fell silent', failure('Query read timeout')],
])('means the same through Prisma and without: %s', async (_, error) => {
  for (const seen of [error, await throughPrisma(error)]) {
    expect(isConnectionError(seen)).toBe(true);
    expect(BatonError.is(fromPgError(seen), 'DATABASE_UNREACHABLE')).toBe(true);
  }
});

it('tells a deadlock through Prisma, too, which is only tried again', async () => {
  const seen = await throughPrisma(failure('deadlock detected', { code: '40P01', severity: 'ERROR' }));
  expect([isContention(seen), isConnectionError(seen)]).toEqual([true, false]);
});

it.each([
  ['25006', 'DATABASE_READ_ONLY', true, 'cannot execute INSERT in a read-only transaction'],
  ['42501', 'DATABASE_DENIED', false, 'permission denied for table task'],
  ['57014', 'DATABASE_INTERRUPTED', true, 'canceling statement due to user request'],
  ['55P03', 'DATABASE_INTERRUPTED', true, 'canceling statement due to lock timeout'],
  ['25P03', 'DATABASE_INTERRUPTED', true, 'terminating connection due to idle-in-transaction timeout'],
])('names what Postgres refuses as %s, with a way out', async (code, name, retryable, message) => {
  const error = failure(message, { code, severity: 'ERROR' });
  for (const seen of [error, await throughPrisma(error)]) {
    const named = fromPgError(seen);
    expect(named).toMatchObject({ code: name, retryable, fix: expect.stringMatching(/\w/) as string });
  }
});

it('keeps the codes of other errors', async () => {
  const seen = await throughPrisma(failure('duplicate key', { code: '23505', severity: 'ERROR' }));
  expect(codeOf(seen)).toBe('23505');
  expect(fromPgError(seen)).toBe(seen);
});
