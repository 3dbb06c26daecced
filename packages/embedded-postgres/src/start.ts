import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';

import { isBeating, startBeat } from './beat.ts';
import { claimHome, isClaimed } from './claim.ts';
import { prepareCluster, readPassword } from './cluster.ts';
import { enterUser, openHome, withHomeLocked, type Home } from './home.ts';
import { locateBinaries } from './locate.ts';
import { clearRemains, findPostmaster, settledPostmaster, type Postmaster } from './postmaster.ts';
import { startPostmaster } from './start-postmaster.ts';
import { namingShortage } from './shortage.ts';
import { keepOrStop, stopUnlessUsed } from './stop-unused.ts';
import { beginWatch, endKeeping, isWatched, watchServer } from './watch.ts';

/** Recovery after a crash replays at most some minutes' worth of log; a server silent for longer hangs. */
const maxSettleMs = 300_000;
/** Looks for a server that answers, and the pause between two. */
const mostTries = 20;
const pauseMs = 100;

/** `duplicate_database`, and `unique_violation` of its name. */
const thereAlready = new Set(['42P04', '23505']);

/** What to start. */
export interface EmbeddedPostgresOptions {
  /** The folder that everything lives in; one cluster per folder. Made when missing. */
  home: string;
  /** Database to have; made when missing. `baton` when left out. */
  database?: string;
  /** How long the server stays after its last share is released; it ends at once when left out or 0. */
  keepSeconds?: number;
}

/** One process's share in a running server. */
export interface EmbeddedPostgres extends AsyncDisposable {
  /** Address of the database with the superuser's password: keep it out of logs. */
  readonly url: string;
  /** Port on 127.0.0.1. */
  readonly port: number;
  /** Process id of the server. */
  readonly pid: number;
  /** The server's data directory. */
  readonly dataDir: string;
  /** Whether this call made the database: it is empty then. */
  readonly isNew: boolean;
  /**
   * Starts the server again if it died, on the same port unless somebody took it, with everything committed intact.
   * Safe to call from several processes at once.
   *
   * @returns `restarted` when it is another server process than at the last look, no matter who started it.
   * @throws EMBEDDED_FAILED, EMBEDDED_ELSEWHERE
   */
  ensureRunning(): Promise<'running' | 'restarted'>;
  /** Gives the share up; the last living process stops the server, or has it kept. Calling it again does nothing. */
  release(): Promise<void>;
}

/**
 * Starts the packaged PostgreSQL of a home folder, or joins the one that another process started. The server belongs
 * to no process: it runs until the last share is released. A killed process leaves its share behind; it counts as gone
 * at the next release or start, and where none comes a watch ends the server within some seconds.
 *
 * @throws EMBEDDED_UNSUPPORTED, EMBEDDED_FAILED, STATE_UNWRITABLE, EMBEDDED_ELSEWHERE when another machine or container that shares the folder
 *   runs its server; it may first wait 15 s, and says so on stderr
 */
export function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  return namingShortage(() => start(options));
}

async function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = await openHome(options.home);
  const share = await enterUser(home, say);
  try {
    return await withHomeLocked(home, () => open(home, share, options));
  } catch (error) {
    await rm(share, { force: true });
    throw error;
  }
}

async function open(
  home: Home,
  share: string,
  { database = 'baton', keepSeconds = 0 }: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  try {
    await endKeeping(home);
    const found = await answering(home, database);
    let { postmaster } = found;
    const password = await readPassword(home);
    const urlOf = (name: string) => addressOf(postmaster, { password, name });
    const release = once(async () => {
      await rm(share, { force: true });
      if (await isClaimed(home)) await withHomeLocked(home, () => keepOrStop(home, keepSeconds));
    });
    return {
      get url() {
        return urlOf(database);
      },
      get port() {
        return postmaster.port;
      },
      get pid() {
        return postmaster.pid;
      },
      dataDir: home.dataDir,
      isNew: found.made,
      ensureRunning: () =>
        namingShortage(async () => {
          const running = await findPostmaster(home.dataDir);
          if (running?.pid === postmaster.pid && running.status === 'ready') return 'running';
          const before = postmaster.pid;
          await claimHome(home, { say });
          postmaster = await withHomeLocked(home, () => runningOrStarted(home));
          return postmaster.pid === before ? 'running' : 'restarted';
        }),
      release,
      [Symbol.asyncDispose]: release,
    };
  } catch (error) {
    await rm(share, { force: true });
    if (await isClaimed(home)) await stopUnlessUsed(home).catch(() => undefined); // the first error is the one to tell
    throw error;
  }
}

/** A server that has the database. One that was killed a moment ago may still look alive: then another is looked for. */
async function answering(home: Home, database: string): Promise<{ postmaster: Postmaster; made: boolean }> {
  for (let tries = 1; ; tries += 1) {
    const postmaster = await runningOrStarted(home);
    const password = await readPassword(home);
    try {
      const made = await haveDatabase(addressOf(postmaster, { password, name: 'postgres' }), database);
      return { postmaster, made };
    } catch (error) {
      if (error instanceof pg.DatabaseError || tries === mostTries) throw error;
      await delay(pauseMs);
    }
  }
}

function addressOf({ port }: Postmaster, { password, name }: { password: string; name: string }): string {
  return `postgresql://postgres:${password}@127.0.0.1:${port}/${encodeURIComponent(name)}`;
}

async function runningOrStarted(home: Home): Promise<Postmaster> {
  await claimHome(home, { say }); // the last user may have given it up since
  const running = await settledPostmaster(home.dataDir, maxSettleMs);
  if (running?.status === 'ready') {
    if (!(await isBeating(home))) await startBeat(home);
    if (!(await isWatched(home))) await watchServer(home, running);
    return running;
  }
  await startBeat(home);
  const binaries = await locateBinaries();
  const account = await prepareCluster(home, binaries);
  await clearRemains(home.dataDir, 5_000);
  let watched = 0;
  const begins = async () => {
    const tell = await beginWatch(home);
    return (server: Pick<Postmaster, 'pid'> | null) => {
      watched = server?.pid ?? 0;
      tell(server);
    };
  };
  const started = await startPostmaster(home, { binaries, account, begins });
  // The server of a starter that was killed a moment ago may have won.
  if (started.pid !== watched) await watchServer(home, started);
  return started;
}

/** @returns whether it had to be made */
async function haveDatabase(adminUrl: string, database: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined); // told by the call that it breaks off
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await createDatabase(client, database);
    return found.rowCount === 0;
  } finally {
    await client.end().catch(() => undefined); // the first error is the one to tell
  }
}

/** The server may still be making it for a process that was killed: it says so once it has. */
async function createDatabase(client: pg.Client, database: string): Promise<void> {
  try {
    await client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)}`);
  } catch (error) {
    const isThere = error instanceof pg.DatabaseError && thereAlready.has(error.code ?? '');
    if (!isThere) throw error;
  }
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

function once(task: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= task());
}
