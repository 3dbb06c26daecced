import { setTimeout as delay } from 'node:timers/promises';
import {
  groupMembers,
  isAlive,
  isSeen,
  markedProcesses,
  orphanedProcesses,
  type ProcessRef,
} from './process-table.ts';

/** What {@link killTree} ends. */
export interface KillTarget extends ProcessRef {
  /** Value of `BATON_RUN_MARKER`: everything that carries it is ended too, in whatever session it sits. */
  marker?: string | undefined;
}

/** How {@link killTree} ended. */
export interface KillReport {
  /** True when SIGTERM and the grace were not enough for the group. */
  forced: boolean;
  /** What is still alive after SIGKILL: processes of other users, or ones stuck in the kernel. Empty: none is left. */
  left: ProcessRef[];
}

const pollMs = 10;
const settleMs = 2_000;

/**
 * Ends a process, its group and everything that carries its marker: SIGTERM to the group, grace, SIGKILL to the group,
 * then SIGKILL to every marked process until none is found. Several agent CLIs start their tools in sessions of their
 * own, which a group kill misses. Source: docs/spec/agents.md#supervision.
 *
 * @param options.graceMs Time between SIGTERM and SIGKILL; 0: SIGKILL at once.
 */
export async function killTree(target: KillTarget, options: { graceMs: number }): Promise<KillReport> {
  const members = () => livingGroup(target);
  const marked = looks(target.marker);
  if (options.graceMs > 0) {
    signalGroup(target, 'SIGTERM');
    // SIGTERM alone lets well-behaved agents stop their own tools, so marked ones get the same grace.
    await waitUntil(() => members().length === 0 && marked.anew().length === 0, options.graceMs);
  }
  const forced = members().length > 0;
  if (forced) signalGroup(target, 'SIGKILL');
  return { forced, left: await killAll(() => [...members(), ...marked.next()]) };
}

/** Ends every process that carries a marker, at once. Returns what is left. */
export function sweepMarked(marker: string): Promise<ProcessRef[]> {
  return killAll(looks(marker).next);
}

/** Ends every process whose Baton process is dead. Returns how many were found and what is left. */
export async function sweepOrphans(): Promise<{ found: number; left: ProcessRef[] }> {
  const found = orphanedProcesses().length;
  return { found, left: found === 0 ? [] : await killAll(orphanedProcesses) };
}

/** SIGKILLs what `find` gives, again and again (a process may fork while it is being killed), until two looks find none. */
export async function killAll(find: () => ProcessRef[]): Promise<ProcessRef[]> {
  let quietLooks = 0;
  for (let passes = 0; passes < settleMs / pollMs; passes += 1) {
    const found = find();
    quietLooks = found.length === 0 ? quietLooks + 1 : 0;
    if (quietLooks === 2) return [];
    for (const one of found) signal(one, 'SIGKILL');
    if (found.length > 0) await delay(pollMs);
  }
  return find();
}

/**
 * Looks for marked processes that follow one another at once: after one that found none, `next` looks only at processes that were not
 * there then; those are what it can have missed.
 */
function looks(marker: string | undefined) {
  const others = new Set<number>();
  const next = (): ProcessRef[] => {
    const found = marker === undefined ? [] : markedProcesses(marker, others);
    if (found.length > 0) others.clear();
    return found;
  };
  const anew = (): ProcessRef[] => {
    others.clear();
    return next();
  };
  return { next, anew };
}

/** The group is ours as long as its leader is, or as long as it has members whose pid is no new group's leader. */
function livingGroup(target: KillTarget): ProcessRef[] {
  return ownsGroup(target) ? groupMembers(target.pid) : [];
}

function ownsGroup(target: KillTarget): boolean {
  // A pid cannot be given to a new process while a group still has that number, so a different leader means: not ours.
  return target.pidStarted === null || isSeen(target) || !isAlive({ pid: target.pid, pidStarted: null });
}

function signalGroup(target: KillTarget, name: NodeJS.Signals): void {
  if (!ownsGroup(target)) return;
  try {
    process.kill(-target.pid, name);
  } catch {
    signal(target, name); // no such group: the process leads none
  }
}

function signal(target: ProcessRef, name: NodeJS.Signals): void {
  if (!isSeen(target)) return;
  try {
    process.kill(target.pid, name);
  } catch {
    // has ended by now, or is another user's: the caller looks again
  }
}

async function waitUntil(done: () => boolean, limitMs: number): Promise<void> {
  for (let waited = 0; waited < limitMs && !done(); waited += pollMs) await delay(pollMs);
}
