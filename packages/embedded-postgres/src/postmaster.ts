import { readdirSync, readlinkSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { findProcess } from './process-table.ts';
import { isCrowded, shortage } from './shortage.ts';

/** A running server, as its own pid file describes it. */
export interface Postmaster {
  pid: number;
  port: number;
  /** `ready`, `starting`, `stopping` or `standby`. */
  status: string;
}

const pollMs = 20;

/** Reads the server's pid file and checks that the process in it lives and serves this very data directory. @throws EMBEDDED_FAILED where there was no room to look */
export async function findPostmaster(dataDir: string): Promise<Postmaster | undefined> {
  const text = await readFile(path.join(dataDir, 'postmaster.pid'), 'utf8').catch((error: unknown) => {
    if (isCrowded(error)) throw shortage(error);
    return '';
  });
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!findProcess(pid)?.commandLine.includes(dataDir)) return undefined;
  return { pid, port: Number(lines[3] ?? 0), status: (lines[7] ?? 'starting').trim() };
}

/** Waits for a server that another process began to start or stop; `undefined` when none is left. */
export async function settledPostmaster(dataDir: string, maxWaitMs: number): Promise<Postmaster | undefined> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const postmaster = await findPostmaster(dataDir);
    if (!postmaster || postmaster.status === 'ready' || waitedMs >= maxWaitMs) return postmaster;
    await delay(pollMs);
  }
}

/**
 * Clears what a killed server left: its sessions notice its death by themselves, within moments unless they compute,
 * and hold the shared memory until then; its pid file is removed since the pid may belong to a zombie or to another
 * program by now, and Postgres would take either for the old server.
 */
export async function clearRemains(dataDir: string, maxWaitMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs <= 2 * maxWaitMs; waitedMs += pollMs) {
    const sessions = sessionsOf(dataDir);
    if (sessions.length === 0) break;
    if (waitedMs >= maxWaitMs) for (const pid of sessions) signal(pid, 'SIGKILL');
    await delay(pollMs);
  }
  await rm(path.join(dataDir, 'postmaster.pid'), { force: true });
}

/**
 * Stops a server: `fast` (sessions are ended, data is flushed), and where that hangs, `immediate`.
 *
 * @returns whether it is gone.
 */
export async function stopPostmaster(dataDir: string, maxWaitMs: number): Promise<boolean> {
  for (const stop of ['SIGINT', 'SIGQUIT'] as const) {
    const postmaster = await findPostmaster(dataDir);
    if (!postmaster) return true;
    signal(postmaster.pid, stop);
    for (let waitedMs = 0; waitedMs < maxWaitMs; waitedMs += pollMs) {
      if (findProcess(postmaster.pid) === undefined) return true;
      await delay(pollMs);
    }
  }
  return (await findPostmaster(dataDir)) === undefined;
}

/** Processes of Postgres that work in this data directory (Linux only; elsewhere the server refuses to start in time). */
function sessionsOf(dataDir: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const serves = readlinkSync(`/proc/${pid}/cwd`) === dataDir;
        return serves && path.basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('postgres');
      } catch {
        return false;
      }
    });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
