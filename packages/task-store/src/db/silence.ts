import pg, { type ClientBase } from 'pg';
import { hangUp } from './notify.ts';
import { isCrowded } from './pg-error.ts';
import { connectMs } from './session.ts';

/** A statement without an answer for so long is asked after, when nothing else is said. */
export const defaultAskMs = 10_000;
/** Where the server cannot be asked either, a connection is given up after so many times that long. */
const unreachableTimes = 3;
/** An answer that left the server so long ago has arrived. */
const arrivalMs = 1_000;

/** What the driver keeps of a connection and does not declare. */
interface Driver {
  readyForQuery?: boolean | null;
  connection: { stream: { bytesRead: number; destroy(): void } };
}
const driverOf = (client: ClientBase) => client as unknown as Driver;

/** A connection that is lent out: what had come on it, and since when (monotonic) nothing more has, though something is asked. */
interface Lent {
  bytes: number;
  sinceMs: number;
}

/** Ends connections that broke without a sign. */
export interface SilenceWatch {
  /** Which process of the server answers on a connection. */
  knows(client: ClientBase, pid: number): void;
  stop(): void;
}

/**
 * Ends connections of a pool that fell silent: both ends stay open and nothing gets through, as a firewall, a proxy or a host that went
 * away leaves them. Their statements then fail as those of a connection that broke. How long one takes says nothing, so the server is
 * asked over another connection whether it works on it: one that does, or waits for a lock, is left alone.
 * @param options.askMs how long without an answer, in ms
 * @param options.nowMs a monotonic clock
 */
export function watchSilence(
  pool: pg.Pool,
  { url, askMs, nowMs }: { url: string; askMs: number; nowMs: () => number },
): SilenceWatch {
  const lent = new Map<ClientBase, Lent>();
  const pids = new WeakMap<ClientBase, number>();
  pool.on('acquire', (client) => lent.set(client, { bytes: -1, sinceMs: nowMs() }));
  // While other connections answer, a server that takes no new one is busy, as behind a pooler that has none left.
  let heardMs = nowMs();
  pool.on('release', (error, client) => {
    lent.delete(client);
    if (!(error as unknown)) heardMs = nowMs();
  });
  let looking: Promise<void> | undefined;
  const look = async () => {
    const quiet = () => quietOnes(lent, { askMs, nowMs: nowMs() });
    const asked = quiet();
    if (asked.length === 0) return;
    const silent = await silentPids(
      url,
      asked.map((client) => pids.get(client) ?? 0),
    );
    for (const client of quiet().filter((each) => asked.includes(each))) {
      const quietMs = Math.min(nowMs() - (lent.get(client)?.sinceMs ?? 0), nowMs() - heardMs);
      const isSilent =
        silent === null ? quietMs >= unreachableTimes * askMs : silent.has(pids.get(client) ?? 0);
      if (isSilent) driverOf(client).connection.stream.destroy();
    }
  };
  const timer = setInterval(
    () => void (looking ??= look().finally(() => (looking = undefined))),
    Math.ceil(askMs / 2),
  );
  timer.unref();
  return {
    knows: (client, pid) => void pids.set(client, pid),
    stop: () => clearInterval(timer),
  };
}

/** Those on which nothing has come for so long while they wait for an answer. */
function quietOnes(
  lent: ReadonlyMap<ClientBase, Lent>,
  { askMs, nowMs }: { askMs: number; nowMs: number },
): ClientBase[] {
  return [...lent].flatMap(([client, seen]) => {
    const { readyForQuery, connection } = driverOf(client);
    const { bytesRead } = connection.stream;
    if (readyForQuery !== false || bytesRead !== seen.bytes)
      Object.assign(seen, { bytes: bytesRead, sinceMs: nowMs });
    return nowMs - seen.sinceMs >= askMs ? [client] : [];
  });
}

/**
 * Processes of the server that do not work on an answer: gone, without a statement, or held up in sending or reading. Who may not see
 * another's state, or has its tracking switched off, sees none of these.
 */
const silentOnes = `SELECT asked.pid FROM unnest($1::int[]) AS asked (pid) LEFT JOIN pg_stat_activity a ON a.pid = asked.pid
  WHERE a.pid IS NULL OR ((a.state LIKE 'idle%' OR a.wait_event_type = 'Client')
    AND a.state_change < clock_timestamp() - $2::int * interval '1 millisecond')`;

/** Null: the server cannot be asked. One that has no connection free lives. */
async function silentPids(url: string, pids: number[]): Promise<ReadonlySet<number> | null> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    query_timeout: connectMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(silentOnes, [pids, arrivalMs]);
    return new Set(rows.map(({ pid }) => pid));
  } catch (error) {
    return isCrowded(error) ? new Set() : null;
  } finally {
    await hangUp(client);
  }
}
