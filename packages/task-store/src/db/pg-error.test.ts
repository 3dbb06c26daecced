import { BatonError } from '@baton/contracts';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { expect, it } from 'vitest';
import { PrismaClient } from '../generated/client.ts';
import { codeOf, fromPgError, isConnectionError, isContention, isDatabaseAway } from './pg-error.ts';

/** What a call through Prisma throws when the driver below it fails so; nothing is connected to. */
async function throughPrisma(failure: Error): Promise<unknown> {
  const pool = new pg.Pool({});
  Object.assign(pool, { query: () => Promise.reject(failure) });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  return prisma.apiKey.findMany().then(
    () => null,
    (error: unknown) => error,
  );
}

const failure = (
  message: string,
  given: { code?: string; severity?: string; syscall?: string; errno?: number } = {},
): Error => Object.assign(new Error(message), given);

it.each([
  ['a server that recovers', failure('in recovery mode', { code: '57P03', severity: 'FATAL' })],
  ['a server that is shut down', failure('terminating connection', { code: '57P01', severity: 'FATAL' })],
  [
    'a connection that is cut',
    failure('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read', errno: -104 }),
  ],
  [
    'nobody at the port',
    failure('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect', errno: -111 }),
  ],
  [
    'a server out of reach',
    failure('connect ETIMEDOUT', { code: 'ETIMEDOUT', syscall: 'connect', errno: -110 }),
  ],
  ['a connection that ended', failure('Connection terminated unexpectedly')],
  ['a connection that fell silent', failure('Query read timeout')],
])('means the same through Prisma and without: %s', async (_, error) => {
  for (const seen of [error, await throughPrisma(error)]) {
    expect(isConnectionError(seen)).toBe(true);
    expect(BatonError.is(fromPgError(seen), 'DATABASE_UNREACHABLE')).toBe(true);
  }
});

it('recognises a deadlock through Prisma, too, which is only tried again', async () => {
  const seen = await throughPrisma(failure('deadlock detected', { code: '40P01', severity: 'ERROR' }));
  expect([isContention(seen), isConnectionError(seen)]).toEqual([true, false]);
});

it.each([
  ['25006', 'DATABASE_READ_ONLY', true, 'cannot execute INSERT in a read-only transaction'],
  ['42501', 'DATABASE_DENIED', false, 'permission denied for table task'],
  ['57014', 'DATABASE_INTERRUPTED', true, 'canceling statement due to user request'],
  ['55P03', 'DATABASE_INTERRUPTED', true, 'canceling statement due to lock timeout'],
  ['25P03', 'DATABASE_INTERRUPTED', true, 'terminating connection due to idle-in-transaction timeout'],
  ['57P05', 'DATABASE_INTERRUPTED', true, 'terminating connection due to idle-session timeout'],
  ['58030', 'DATABASE_INTERRUPTED', true, 'could not read block 3 in file "base/1/2": I/O error'],
  ['XX000', 'DATABASE_INTERRUPTED', true, 'cache lookup failed for relation 7'],
  ['08P01', 'DATABASE_UNREACHABLE', true, 'query_wait_timeout'],
  ['53300', 'DATABASE_UNREACHABLE', true, 'too many connections for role "baton"'],
  ['55000', 'DATABASE_UNREACHABLE', true, 'database "baton" is not currently accepting connections'],
  ['55006', 'DATABASE_UNREACHABLE', true, 'database "baton" is being accessed by other users'],
  ['57P03', 'DATABASE_UNREACHABLE', true, 'the database system is starting up'],
  ['57P04', 'DATABASE_LOGIN', false, 'terminating connection because the database was dropped'],
  ['3D000', 'DATABASE_LOGIN', false, 'database "baton" does not exist'],
  ['28000', 'DATABASE_LOGIN', false, 'role "baton" is not permitted to log in'],
  ['28P01', 'DATABASE_LOGIN', false, 'password authentication failed for user "baton"'],
  ['53100', 'DATABASE_FULL', true, 'could not extend file "base/1/2": No space left on device'],
  ['53200', 'DATABASE_FULL', true, 'out of memory'],
])(
  'names what Postgres refuses as %s %s, in its words, with a way out',
  async (code, name, retryable, message) => {
    const error = failure(message, { code, severity: 'ERROR' });
    for (const seen of [error, await throughPrisma(error)]) {
      const named = fromPgError(seen);
      expect(named).toMatchObject({ code: name, retryable, fix: expect.stringMatching(/\w/) as string });
      expect((named as Error).message).toMatch(new RegExp(`^([^:]+: )?${escaped(message)}\\.?$`));
      expect(isDatabaseAway(named)).toBe(true);
    }
  },
);

const escaped = (text: string) => text.replace(/[.()]/g, '\\$&');

it.each([
  ['a unique key', failure('duplicate key', { code: '23505', severity: 'ERROR' })],
  ['a statement that is wrong', failure('syntax error', { code: '42601', severity: 'ERROR' })],
  ['a state of an object', failure('currval is not yet defined', { code: '55000', severity: 'ERROR' })],
  ['a file', failure('no such file', { code: 'ENOENT', syscall: 'open' })],
])('does not take %s for a database that is away', (_, error) => {
  expect(fromPgError(error)).toBe(error);
  expect([isDatabaseAway(error), isConnectionError(error)]).toEqual([false, false]);
});

it('takes a socket that is not there for a server that is not there', () => {
  const error = failure('connect ENOENT /run/.s.PGSQL.5432', { code: 'ENOENT', syscall: 'connect' });
  expect(fromPgError(error)).toMatchObject({ code: 'DATABASE_UNREACHABLE' });
});

it('keeps the codes of other errors', async () => {
  const seen = await throughPrisma(failure('duplicate key', { code: '23505', severity: 'ERROR' }));
  expect(codeOf(seen)).toBe('23505');
  expect(fromPgError(seen)).toBe(seen);
});
