import { readlinkSync, statSync } from 'node:fs';
import {
  commandLine,
  pids,
  processesWhere,
  processStartedMs,
  supervisorVariable,
  type ProcessRef,
} from './process-table.ts';

/** A lock file of git, and where a git that made it can be at work. */
export interface LockPlace {
  file: string;
  /** Absolute folders without links: the git folder of the repository and its working trees. */
  roots: readonly string[];
}

/** Commands that run for long and take no lock of these. */
const readers =
  /^(log|show|diff|blame|grep|shortlog|cat-file|rev-list|upload-pack|daemon|fsmonitor--daemon|credential-cache--daemon)$/;

/**
 * The pid of a living git, a person's as well, that may have made a lock file: it works in one of the folders, as the owner of the file,
 * and is older than that. Null: there is none, or the system has no `/proc`.
 */
export function lockHolder({ file, roots }: LockPlace): number | null {
  if (process.platform !== 'linux') return null;
  const lock = statSync(file, { throwIfNoEntry: false });
  if (lock === undefined) return null;
  const isOwners = (pid: number): boolean => {
    const uid = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
    return uid === lock.uid || uid === 0;
  };
  const couldHold = (pid: number): boolean =>
    isOwners(pid) && isGitIn(pid, roots, readers) && couldHaveMade(pid, lock.mtimeMs);
  return pids().find(couldHold) ?? null;
}

/** A process that began after a file was made did not make it. Start times are known to the second, and clocks are set. */
export function couldHaveMade(pid: number, madeMs: number): boolean {
  const startedMs = processStartedMs(pid);
  return startedMs === null || startedMs <= madeMs + 2_000;
}

/**
 * Living git processes that some Baton process started and that work in one of these folders (absolute, without links), but for those that
 * only read objects all their life. Where a process cannot be looked at, it counts.
 */
export function gitProcessesOfOurs(roots: readonly string[]): ProcessRef[] {
  const prefix = `${supervisorVariable}=`;
  const ours = processesWhere((variables) => variables.some((variable) => variable.startsWith(prefix)));
  return ours.filter(({ pid }) => isGitIn(pid, roots, /^cat-file$/));
}

function isGitIn(pid: number, roots: readonly string[], passedOver: RegExp): boolean {
  const [program = '', ...args] = commandLine(pid);
  if (!/(^|\/)git(-[\w-]+)?$/.test(program)) return false;
  if ([program.replace(/^.*git-/, ''), ...args].some((word) => passedOver.test(word))) return false;
  const isBelow = (text: string): boolean =>
    roots.some((root) => text === root || text.startsWith(`${root}/`));
  const where = workingFolder(pid);
  return where === null || isBelow(where) || args.some((arg) => isBelow(arg.replace(/^--[\w-]+=/, '')));
}

/** Working folder of a process; null where it cannot be known. */
function workingFolder(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}
