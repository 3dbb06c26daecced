import { BatonError, type ErrorCode } from '@baton/contracts';
import { meaningOf } from './sql-states.ts';

/** Codes of Node that mean: the server is not there, or the way to it is cut. */
const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
]);
/** Too many connections: of the server, a role, or a database. */
const noneFree = '53300';
/** Messages of pg for a connection that ended: it gives these no code. */
const connectionLost =
  /^(Connection terminated|Query read timeout|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired$|Client was closed|The client was closed)/;

/** Codes of Node's TLS, and what pg says where a server has none. */
const unsecured =
  /^(ERR_(TLS|SSL)_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY|DECRYPT)_|CERT_)| The server does not support SSL connections/;
/** What pg's pool says when it is used after its end. */
const poolEnded = 'Cannot use a pool after calling end on the pool';

/** What Prisma calls a broken connection, in the words of Node. */
const prismaKinds: Readonly<Record<string, string>> = {
  ConnectionClosed: 'ECONNRESET',
  DatabaseNotReachable: 'ECONNREFUSED',
  SocketTimeout: 'ETIMEDOUT',
};

/** What Prisma keeps of an error of the driver below it. */
interface DriverCause {
  originalCode?: unknown;
  originalMessage?: unknown;
  kind?: unknown;
}

function driverCause(error: unknown): DriverCause {
  const { meta } = (error ?? {}) as { meta?: { driverAdapterError?: { cause?: DriverCause } } };
  return meta?.driverAdapterError?.cause ?? {};
}

/** The code of a pg or Node error, also of one that Prisma has wrapped; else ''. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const { code } = (error ?? {}) as { code?: unknown };
  const { originalCode, kind } = driverCause(error);
  if (typeof originalCode === 'string') return originalCode;
  if (typeof kind === 'string' && prismaKinds[kind] !== undefined) return prismaKinds[kind];
  return typeof code === 'string' ? code : '';
}

/** What Postgres said, without what Prisma says around it. */
function messageOf(error: unknown): string {
  const { originalMessage } = driverCause(error);
  return typeof originalMessage === 'string' ? originalMessage : (error as Error).message;
}

/** Whether the connection, not the statement, failed. */
export function isConnectionError(error: unknown): boolean {
  if (BatonError.is(error)) return error.code === 'DATABASE_UNREACHABLE';
  const code = codeOf(error);
  if (code === '') return error instanceof Error && connectionLost.test(error.message);
  // The socket of a server that is not there is a file that is not there.
  if (code === 'ENOENT') return (error as NodeJS.ErrnoException).syscall === 'connect';
  return unreachable.has(code) || meaningOf(code, messageOf(error))?.code === 'DATABASE_UNREACHABLE';
}

/** Whether the server had no connection free: nothing was sent on it. */
export function isCrowded(error: unknown): boolean {
  return codeOf(error) === noneFree;
}

/** The result of a prepared statement has other columns than when it was prepared: the database was migrated since. */
const planChanged = '0A000';

/** Whether the same statement may just be tried again: deadlock, serialisation failure, one that was prepared before a migration. */
export function isContention(error: unknown): boolean {
  return ['40P01', '40001', planChanged].includes(codeOf(error));
}

const away: readonly ErrorCode[] = [
  'DATABASE_UNREACHABLE',
  'DATABASE_READ_ONLY',
  'DATABASE_INTERRUPTED',
  'DATABASE_FULL',
  'DATABASE_LOGIN',
  'DATABASE_DENIED',
];

/**
 * Whether the database, not what was asked of it, is the trouble: a call that ended so says nothing about the work, and may succeed
 * later. Some of these need a person first, as a refused login does.
 */
export function isDatabaseAway(error: unknown): boolean {
  return (BatonError.is(error) && away.includes(error.code)) || isContention(error);
}

/** Turns an error of pg into a BatonError where a code fits; others (bugs) stay what they are. */
export function fromPgError(error: unknown): unknown {
  if (BatonError.is(error)) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? messageOf(error) : '';
  const meaning = meaningOf(code, message);
  if (meaning !== null) {
    const details = meaning.code === 'ILLEGAL_TRANSITION' ? { details: { sqlState: code } } : {};
    const text = meaning.says === '' ? message : `${meaning.says}: ${message}.`;
    return new BatonError(meaning.code, text, { fix: meaning.fix, ...details, cause: error });
  }
  if (unsecured.test(`${code} ${message}`)) {
    return new BatonError('DATABASE_LOGIN', `The connection to Postgres could not be secured: ${message}.`, {
      fix: 'Correct `sslmode` in DATABASE_URL: `disable` for a server without TLS, `no-verify`, or `sslrootcert` with a file, for a certificate that this machine does not trust.',
      cause: error,
    });
  }
  if (message.includes(poolEnded)) {
    return new BatonError('CONFLICT', 'The store was closed.', {
      fix: 'Open another with `openStore`; call `close` when all calls have their answers.',
      cause: error,
    });
  }
  if (!isConnectionError(error)) return error;
  return new BatonError('DATABASE_UNREACHABLE', 'Postgres does not answer.', {
    fix: 'Start Postgres or check DATABASE_URL; the same call may be repeated.',
    cause: error,
  });
}
