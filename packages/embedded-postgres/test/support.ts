import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import pg from 'pg';

const nobody = 65_534;

const program = fileURLToPath(new URL('user-process.ts', import.meta.url));

/** Whether another user can run the tests' program: not where Node or the sources are below a closed folder of root. */
export const canBeNobody =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, ['-e', `fs.readFileSync(${JSON.stringify(program)})`], {
    ...{ uid: nobody, gid: nobody, cwd: '/' },
  }).status === 0;

/** An empty folder for one test. (`@baton/testkit` is built on this package, so it cannot be used here.) */
export async function tempHome() {
  const folder = await mkdtemp(path.join(await realpath(tmpdir()), 'embedded-pg-'));
  return {
    home: path.join(folder, 'home'),
    folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  };
}

/** Waits for a state. */
export async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  for (let polls = 0; polls < 6_000; polls++) {
    if (await look()) return;
    await delay(20);
  }
  throw new Error(`Still not so: ${what}`);
}

/** Runs statements on a connection of their own and returns the last one's rows. */
export async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const result: pg.QueryResult | pg.QueryResult[] = await client.query(sql);
    return (Array.isArray(result) ? result.at(-1)?.rows : result.rows) as unknown[];
  } finally {
    await client.end();
  }
}

/** Another process that uses the server of a home. */
export interface UserProcess {
  pid: number;
  /** What it printed once it had the server. */
  server: { url: string; port: number; pid: number };
  /** Lets it release its share and end; resolves with its exit code. */
  end(): Promise<number | null>;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<number | null>;
}

/** How another process uses a server. */
interface UserOptions {
  /** Makes it an ordinary user's process. */
  uid?: number;
  /** How long the server stays after it. */
  keepSeconds?: number;
}

/** Starts `user-process.ts` on a home. */
export function spawnUser(home: string, options: UserOptions = {}): ChildProcessWithoutNullStreams {
  const script = fileURLToPath(new URL('user-process.ts', import.meta.url));
  const account = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
  const args = ['--conditions=@baton/source', script, home, String(options.keepSeconds ?? 0)];
  return spawn(process.execPath, args, { env: {}, ...account });
}

/** Starts a process that uses the server of a home, and waits until it has it. */
export async function startUser(home: string, options: UserOptions = {}): Promise<UserProcess> {
  const child = spawnUser(home, options);
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    return {
      ...{ pid: child.pid ?? 0, server: JSON.parse(line) as UserProcess['server'] },
      end: () => (child.stdin.end(), exit),
      kill: () => (child.kill('SIGKILL'), exit),
    };
  }
  throw new Error(complaint);
}
