import { BatonError } from '@baton/contracts';
import pg, { type ClientBase } from 'pg';
import { connectMs } from './session.ts';

const rounds = 3;

/** The process of the server that answers. */
async function answering(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

/**
 * Refuses a pooler that lends a connection for one transaction: settings and locks of a session would be left on connections of others,
 * and no client would hear a NOTIFY. Changes nothing of the session, so it comes before everything else. A server names its process at the
 * login; where another one answers, a pooler is in between, and a second client shows whether it gives each its own connection.
 * @throws DATABASE_POOLED
 */
export async function refuseSharing(client: ClientBase, url: string): Promise<void> {
  const own = new Set([await answering(client)]);
  const { processID } = client as ClientBase & { processID?: number | null };
  if (typeof processID === 'number' && own.has(processID)) return;
  const other = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    query_timeout: connectMs,
  });
  other.on('error', () => undefined);
  try {
    await other.connect();
    const others = new Set<number>();
    // Twice in a row for poolers that take turns; one right after the other for those that lend what came back last.
    for (let round = 0; round < rounds; round++) {
      for (const each of [client, client, other, other])
        (each === client ? own : others).add(await answering(each));
    }
    if (own.size === 1 && others.size === 1 && [...others].every((pid) => !own.has(pid))) return;
  } finally {
    await other.end().catch(() => undefined);
  }
  throw new BatonError(
    'DATABASE_POOLED',
    'DATABASE_URL leads to a pooler that gives each transaction another connection.',
    {
      fix: 'Name the Postgres server itself in DATABASE_URL, or a pool that keeps a connection for each client (PgBouncer: pool_mode = session).',
    },
  );
}
