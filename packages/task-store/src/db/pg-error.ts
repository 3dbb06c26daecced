import { BatonError } from '@baton/contracts';

/** Codes of Node and Postgres that mean: the server is not there, going away or just coming up. */
const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
]);
/** Too many connections: of the server, a role, or a database. */
const noneFree = '53300';
/** Messages of pg for a connection that ended: it gives these no code. */
const connectionLost =
  /^(Connection terminated|Query read timeout|Client has encountered a connection error|timeout exceeded when trying to connect|Client was closed|The client was closed)/;
/** A schema or table that is not there. */
const noSuch = new Set(['3F000', '42P01']);
const login = new Set(['28P01', '28000']);
/** Cancelled, a lock that was not had in time, and the limits of transactions and idle sessions. */
const interrupted = new Set(['57014', '55P03', '25P03', '25P04', '57P05']);

/** What Prisma calls a broken connection, in the words of Node. */
const prismaKinds: Readonly<Record<string, string>> = {
  ConnectionClosed: 'ECONNRESET',
  DatabaseNotReachable: 'ECONNREFUSED',
  SocketTimeout: 'ETIMEDOUT',
};

/** The code of a pg or Node error, also of one that Prisma has wrapped; else ''. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const { code, meta } = (error ?? {}) as {
    code?: unknown;
    meta?: { driverAdapterError?: { cause?: { originalCode?: unknown; kind?: unknown } } };
  };
  const { originalCode, kind } = meta?.driverAdapterError?.cause ?? {};
  if (typeof originalCode === 'string') return originalCode;
  if (typeof kind === 'string' && prismaKinds[kind] !== undefined) return prismaKinds[kind];
  return typeof code === 'string' ? code : '';
}

/** Whether the connection, not the statement, failed. */
export function isConnectionError(error: unknown): boolean {
  if (BatonError.is(error)) return error.code === 'DATABASE_UNREACHABLE';
  return (
    isCrowded(error) ||
    unreachable.has(codeOf(error)) ||
    (error instanceof Error && codeOf(error) === '' && connectionLost.test(error.message))
  );
}

/** Whether the server had no connection free: nothing was sent on it. */
export function isCrowded(error: unknown): boolean {
  return codeOf(error) === noneFree;
}

/** Whether the same statement may just be tried again: deadlock, serialisation failure. */
export function isContention(error: unknown): boolean {
  return ['40P01', '40001'].includes(codeOf(error));
}

function unreachableError(cause: unknown): BatonError {
  if (!isCrowded(cause))
    return new BatonError('DATABASE_UNREACHABLE', 'Postgres does not answer.', {
      fix: 'Start Postgres or check DATABASE_URL; the same call may be repeated.',
      cause,
    });
  return new BatonError(
    'DATABASE_UNREACHABLE',
    `Postgres has no connection free: ${(cause as Error).message}.`,
    {
      fix: 'Raise max_connections of the server (or the limit of the role or database), or end other programs that use it; the same call may be repeated.',
      cause,
    },
  );
}

/** Turns an error of pg into a BatonError where a code fits; others (bugs) stay what they are. */
export function fromPgError(error: unknown): unknown {
  if (BatonError.is(error)) return error;
  if (isConnectionError(error)) return unreachableError(error);
  const code = codeOf(error);
  if (login.has(code)) {
    return new BatonError('DATABASE_LOGIN', 'Postgres refused the user or password.', {
      fix: 'Check user and password in DATABASE_URL.',
      cause: error,
    });
  }
  if (code === '3D000') {
    return new BatonError('DATABASE_LOGIN', (error as Error).message, {
      fix: 'Create the database or correct its name in DATABASE_URL.',
      cause: error,
    });
  }
  if (code === '25006') {
    return new BatonError('DATABASE_READ_ONLY', `Postgres takes no writes: ${(error as Error).message}.`, {
      fix: 'Name the primary in DATABASE_URL: a standby, and a server that is set to read only, take none.',
      cause: error,
    });
  }
  if (code === '42501') {
    return new BatonError('DATABASE_DENIED', `Postgres denied a right: ${(error as Error).message}.`, {
      fix: 'Make the user of DATABASE_URL the owner of the database and its tables. A parameter that it may not set is taken back with ALTER DATABASE … RESET or ALTER ROLE … RESET.',
      cause: error,
    });
  }
  if (interrupted.has(code)) {
    return new BatonError(
      'DATABASE_INTERRUPTED',
      `Postgres ended a statement early: ${(error as Error).message}.`,
      {
        fix: 'Repeat the call. Baton sets no time limits: if it happens again, the log of Postgres shows who cancels, or a pooler in between sets a limit.',
        cause: error,
      },
    );
  }
  if (noSuch.has(code)) {
    return new BatonError('MIGRATION_FAILED', `The database is not migrated: ${(error as Error).message}.`, {
      fix: 'Call `migrate(url)` of @baton/task-store first, with this version of it.',
      cause: error,
    });
  }
  if (code.startsWith('BA')) {
    return new BatonError('ILLEGAL_TRANSITION', (error as Error).message, {
      fix: 'The database refuses moves outside the tables; read the entity again and decide again.',
      details: { sqlState: code },
      cause: error,
    });
  }
  return error;
}
