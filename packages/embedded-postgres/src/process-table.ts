import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { BatonError } from '@baton/contracts';

import { isCrowded, shortage } from './shortage.ts';

/** One process, named so that a later process with the same pid is not taken for it. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in whatever unit the operating system counts; only compared for equality. */
  startTime: string;
}

/** A process that runs now, with the command line it was started by. */
export interface RunningProcess extends ProcessIdentity {
  commandLine: string;
}

/**
 * Looks a process up. A zombie (killed, not yet reaped by its parent) counts as gone: it holds no memory, files or
 * ports, though `kill(pid, 0)` still answers for it, for seconds where pid 1 is slow to reap.
 *
 * @returns `undefined` when no living process has this pid.
 * @throws EMBEDDED_FAILED where there was no room to look: one that was not seen may live
 */
export function findProcess(pid: number): RunningProcess | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

/** Whether exactly this process, not merely its pid, is still alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  return findProcess(identity.pid)?.startTime === identity.startTime;
}

/** The calling process. @throws UNSUPPORTED_PLATFORM where processes cannot be looked up. */
export function thisProcess(): ProcessIdentity {
  const self = findProcess(process.pid);
  if (self) return { pid: self.pid, startTime: self.startTime };
  throw new BatonError('UNSUPPORTED_PLATFORM', 'This system does not show its processes.', {
    fix: 'Mount /proc (Linux) or install ps, or set DATABASE_URL to a PostgreSQL server.',
  });
}

function fromProc(pid: number): RunningProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may itself hold blanks and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ');
    return { pid, startTime: fields[19] ?? '', commandLine };
  } catch (error) {
    if (isCrowded(error)) throw shortage(error);
    return undefined;
  }
}

function fromPs(pid: number): RunningProcess | undefined {
  try {
    const args = ['-ww', '-o', 'stat=,lstart=,args=', '-p', String(pid)];
    const line = execFileSync('ps', args, {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    }).trim();
    const match = /^(\S+)\s+(\S+ +\S+ +\d+ [\d:]+ \d+)\s+(.*)$/.exec(line);
    if (!match || match[1]?.startsWith('Z')) return undefined;
    return { pid, startTime: (match[2] ?? '').replaceAll(/\W+/g, '_'), commandLine: match[3] ?? '' };
  } catch (error) {
    if (isCrowded(error)) throw shortage(error);
    return undefined;
  }
}
