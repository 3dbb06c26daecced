import { spawn } from 'node:child_process';
import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import { BatonError } from '@baton/contracts';

import { bareEnvironment, underAccount, type Account } from './as-root.ts';
import { freePort } from './free-port.ts';
import { makeRoom, type Home } from './home.ts';
import type { Binaries } from './locate.ts';
import { findPostmaster, type Postmaster } from './postmaster.ts';
import { limitToRaise } from './shortage.ts';

const pollMs = 20;
const maxStartMs = 300_000; // recovery after a crash may be long; a server that fails ends at once
const maxLogBytes = 5 * 1024 * 1024;

/** What a server needs to be started; the caller holds the home's lock. */
export interface StartContext {
  binaries: Binaries;
  account: Account;
  /** Called before a server is started; what it returns, as soon as its process is there, or none could be made. */
  begins(): Promise<(server: Pick<Postmaster, 'pid'> | null) => void>;
}

/**
 * Starts the server and waits until it takes connections, recovery after a crash included. The port it had last is
 * tried first, so that pools of other processes find it again.
 *
 * @throws EMBEDDED_FAILED with the end of the server's log.
 */
export async function startPostmaster(home: Home, context: StartContext): Promise<Postmaster> {
  await boundLog(home);
  let last = await lastPort(home);
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(last);
    const postmaster = await launch(home, port, context);
    if (postmaster) {
      await writeFile(home.portFile, String(postmaster.port), { mode: 0o600 });
      return postmaster;
    }
    if (attempt >= 3) throw await failed(home);
    last = undefined; // perhaps somebody took the port between the look and the start
    await delay(250);
  }
}

async function launch(home: Home, port: number, context: StartContext): Promise<Postmaster | undefined> {
  const [file, args] = underAccount(context.account, context.binaries.postgres, [
    '-D',
    home.dataDir,
    ...settings(port),
  ]);
  const log = await open(home.logFile, 'a', 0o600);
  // This process may be killed at any moment from here on: the server must not outlive its users then, either.
  const begun = await context.begins();
  // A session of its own: neither Ctrl-C in the terminal nor the end of this process reaches the server.
  const child = spawn(file, args, {
    ...{ cwd: '/', env: bareEnvironment, detached: true, stdio: ['ignore', log.fd, log.fd] },
    ...context.account.ids,
  });
  let ended = false;
  const end = () => {
    ended = true;
  };
  child.once('error', end).once('exit', end).unref();
  begun(child.pid === undefined ? null : { pid: child.pid });
  try {
    for (let waitedMs = 0; waitedMs < maxStartMs && !ended; waitedMs += pollMs) {
      const postmaster = await findPostmaster(home.dataDir);
      // Not only ours: the server of a starter that was killed a moment ago may have won the data directory.
      if (postmaster?.status === 'ready') return postmaster;
      await delay(pollMs);
    }
  } finally {
    await log.close();
  }
  if (!ended) child.kill('SIGQUIT');
  return undefined;
}

function settings(port: number): string[] {
  const values = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '', // paths may be too long for one, and a home may be readable by others
    max_connections: 200,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The log records the server's life; statements and their values, which may be secret, stay out of it.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function lastPort(home: Home): Promise<number | undefined> {
  const port = Number(await readFile(home.portFile, 'utf8').catch(() => ''));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

async function boundLog(home: Home): Promise<void> {
  const size = await stat(home.logFile).then(
    (found) => found.size,
    () => 0,
  );
  if (size > maxLogBytes) await truncate(home.logFile);
}

async function failed(home: Home): Promise<BatonError> {
  const log = await readFile(home.logFile, 'utf8').catch(() => '');
  // What a server says of damage in each recovery frightens without need.
  const lines = log
    .split('\n')
    .filter((line) => line !== '' && !line.includes(' HINT:  This probably means'));
  const tail = lines.slice(-15).join('\n');
  return new BatonError(
    'EMBEDDED_FAILED',
    `The packaged Postgres did not start. The end of its log:\n${tail}`,
    {
      fix: /No space left on device|Disk quota exceeded/.test(tail)
        ? makeRoom(home.root)
        : (limitToRaise(tail) ??
          `Cure what the log names (${home.logFile}), or set DATABASE_URL to another server.`),
      at: home.logFile,
    },
  );
}
