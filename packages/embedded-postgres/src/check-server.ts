import { BatonError, type ErrorCode } from '@baton/contracts';
import pg from 'pg';

/** What {@link checkServer} found. */
export interface ServerInfo {
  /** For example `18.4`. */
  version: string;
  /** First number of the version, for example 18. */
  majorVersion: number;
}

/** How {@link checkServer} connects. */
export interface CheckServerOptions {
  /** Longest wait for the connection, in milliseconds; 10 000 when left out. */
  connectTimeoutMs?: number;
}

/** The oldest PostgreSQL that Baton works with. */
export const oldestMajorVersion = 14;

/**
 * Connects once to a database and says what server it is. Passwords never get into a message.
 *
 * @param url a `postgres://` or `postgresql://` address, for example the value of DATABASE_URL.
 * @throws CONFIG_INVALID when the address is none, DATABASE_UNREACHABLE, DATABASE_LOGIN, DATABASE_DENIED,
 *   DATABASE_FULL, DATABASE_TOO_OLD (before 14).
 */
export async function checkServer(url: string, options: CheckServerOptions = {}): Promise<ServerInfo> {
  const place = describeAddress(url);
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
  });
  client.on('error', () => undefined); // a connection lost after the answer does not matter
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return accept(rows[0]?.server_version ?? '', place);
  } catch (error) {
    throw BatonError.is(error) ? error : explain(error, place);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function accept(text: string, place: string): ServerInfo {
  const version = text.split(' ')[0] ?? '';
  const majorVersion = Number.parseInt(version, 10);
  if (majorVersion >= oldestMajorVersion) return { version, majorVersion };
  throw new BatonError(
    'DATABASE_TOO_OLD',
    `${place} is PostgreSQL ${version}; ${oldestMajorVersion} is the oldest that works.`,
    {
      fix: 'Upgrade the server, name another in DATABASE_URL, or unset DATABASE_URL to use the packaged Postgres.',
      details: { found: version, oldest: oldestMajorVersion },
    },
  );
}

/** `host:port/database`, without user and password. */
function describeAddress(url: string): string {
  try {
    const { protocol, hostname, port, pathname, searchParams, hash } = new URL(url);
    // A password with a bare "/" or "#" ends the part with the host: what follows would be read, and shown, as host and database.
    const isCut = hash !== '' || /[/@]/.test(pathname.slice(1)) || url.trim() !== url;
    if (/^postgres(ql)?:$/.test(protocol) && !isCut) {
      return `${hostname || (searchParams.get('host') ?? 'localhost')}:${port || '5432'}${pathname}`;
    }
  } catch {
    // answered below: neither cause nor text is quoted, either could hold the password
  }
  throw new BatonError('CONFIG_INVALID', 'The address of the database is not a postgresql:// address.', {
    fix: 'Write DATABASE_URL as postgresql://user:password@host:5432/database, special characters percent-encoded, without spaces.',
  });
}

/** By SQLSTATE (PostgreSQL documentation, appendix A): what a server says that answers, and takes no connection. */
function explain(cause: unknown, place: string): BatonError {
  const { code = 'no code', message = '' } = cause as { code?: string; message?: string };
  if (code === '3D000') {
    return new BatonError('DATABASE_UNREACHABLE', `The server answers, but ${place} does not exist.`, {
      fix: 'Create the database, or name an existing one in DATABASE_URL.',
      cause,
    });
  }
  const known = refusals.find(({ states }) => states.test(code));
  if (known !== undefined)
    return new BatonError(known.code, `${place} ${known.says} (${code}): ${message}.`, {
      fix: known.fix,
      cause,
    });
  return new BatonError('DATABASE_UNREACHABLE', `${place} does not answer (${code}).`, {
    fix: 'Start the server, correct host and port in DATABASE_URL, or unset DATABASE_URL to use the packaged Postgres.',
    cause,
  });
}

const refusals: readonly { states: RegExp; code: ErrorCode; says: string; fix: string }[] = [
  {
    states: /^28...$/,
    code: 'DATABASE_LOGIN',
    says: 'refused the login',
    fix: 'Correct user and password in DATABASE_URL, the role on the server (ALTER ROLE … LOGIN), or its pg_hba.conf.',
  },
  {
    states: /^42501$/,
    code: 'DATABASE_DENIED',
    says: 'denied a right',
    fix: 'Give the user of DATABASE_URL the right to connect (GRANT CONNECT ON DATABASE …), or name another user.',
  },
  {
    states: /^53300$/,
    code: 'DATABASE_UNREACHABLE',
    says: 'has no connection free',
    fix: 'Raise max_connections of the server (or the limit of the role or database), or end other programs that use it.',
  },
  {
    states: /^53\d..$/,
    code: 'DATABASE_FULL',
    says: 'lacks room, memory or another resource',
    fix: 'Make room on the disk of the Postgres server, or see its log for what it lacks.',
  },
  {
    states: /^(55|57)\w\w\w$/,
    code: 'DATABASE_UNREACHABLE',
    says: 'takes no connection',
    fix: 'Wait until the server has started, or open the database again (ALTER DATABASE … ALLOW_CONNECTIONS true).',
  },
  {
    states: /^\d[0-9A-Z]{4}$|^XX\w\w\w$/,
    code: 'DATABASE_UNREACHABLE',
    says: 'answers with an error',
    fix: 'See the log of the server.',
  },
];
