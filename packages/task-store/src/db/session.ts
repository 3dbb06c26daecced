import { BatonError } from '@baton/contracts';
import type { ClientBase } from 'pg';

/** A statement that has waited for a lock so long fails, when nothing else is said. */
export const defaultLockMs = 30_000;

/** A server that has not taken a connection, with its login, after so long does not answer. */
export const connectMs = 10_000;

/**
 * What Baton's statements rely on. `ALTER DATABASE … SET`, `ALTER ROLE … SET` and the configuration of a server may say otherwise:
 * triggers that do not fire, commits that are lost, statements that are cut off, texts that are read otherwise.
 */
const settings: Readonly<Record<string, string>> = {
  search_path: 'public',
  session_replication_role: 'origin',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  // Since PostgreSQL 17.
  transaction_timeout: '0',
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  check_function_bodies: 'on',
  // A statement whose cost is overrated, as after much was deleted, would be compiled for longer than it runs.
  jit: 'off',
};

/** Only what differs is set, since some settings need rights. One that a server does not know differs from nothing. */
const differing = Object.entries(settings).map(
  ([name, value]) => `('${name}', '${value}', current_setting('${name}', true) <> '${value}')`,
);
/** Any other way to wait for a commit keeps it; whether a standby has it, too, is the operator's choice. */
const durable = `('synchronous_commit', 'on', current_setting('synchronous_commit') = 'off')`;
const statement = (
  lockMs: number,
) => `SELECT set_config(name, value, false), pg_backend_pid() AS pid FROM (VALUES
  ${[...differing, durable, `('lock_timeout', '${Math.ceil(lockMs)}', true)`].join(', ')}) AS s (name, value, wrong) WHERE wrong`;

/**
 * Gives a new connection the settings that Baton needs: one statement, after connecting, since poolers refuse unknown parameters of
 * the start.
 * @param lockMs how long its statements wait for a lock: one that is cut off had no effect, while one whose caller has gone has it later
 * @returns the process of the server that answers, also behind a pooler
 * @throws what Postgres says where the user may not change one
 */
export async function settleSession(client: ClientBase, lockMs = defaultLockMs): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(statement(lockMs));
  return rows[0]?.pid ?? 0;
}

/** What {@link checkServer} reads of a server and database. */
export interface ServerFacts {
  version: number;
  encoding: string;
  standby: boolean;
}

const oldestServer = 140_000;

/** Why Baton cannot work on a database, or null. Pure. */
export function unsuitable({ version, encoding, standby }: ServerFacts): BatonError | null {
  if (version < oldestServer)
    return new BatonError(
      'DATABASE_TOO_OLD',
      `The Postgres server is version ${Math.floor(version / 10_000)}.`,
      { fix: 'Use PostgreSQL 14 or newer.' },
    );
  if (encoding !== 'UTF8')
    return new BatonError('DATABASE_ENCODING', `The database is encoded as ${encoding}, not as UTF8.`, {
      fix: `Create another and name it in DATABASE_URL: CREATE DATABASE baton ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    });
  if (standby)
    return new BatonError('DATABASE_READ_ONLY', 'The Postgres server is a standby, which takes no writes.', {
      fix: 'Name the primary in DATABASE_URL, or promote the standby.',
    });
  return null;
}

/** @throws DATABASE_TOO_OLD, DATABASE_ENCODING, DATABASE_READ_ONLY */
export async function checkServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query<ServerFacts>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
      pg_is_in_recovery() AS standby`,
  );
  const refusal = rows[0] === undefined ? null : unsuitable(rows[0]);
  if (refusal !== null) throw refusal;
}
