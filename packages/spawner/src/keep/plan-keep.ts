import { existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import type { Clock, Git } from '@baton/contracts';
import { gitText } from '../git/git.ts';
import type { AttemptKey } from '../tree/clone.ts';
import { fetchedRef } from '../tree/fetch-target.ts';
import { retiredReason } from '../tree/retire-slot.ts';
import {
  asideOf,
  clonesIn,
  keptRefs,
  logsIn,
  refsUnder,
  setUpsIn,
  unknownBorrowers,
  worktreesIn,
  type Aged,
  type KeptRef,
} from './find-kept.ts';
import type { KeepAct, KeepRules } from './keep-act.ts';

/** Whose state is looked through, and by which rules. */
export interface KeepOptions {
  git: Git;
  clock: Clock;
  /** Baton's state folder, absolute. */
  stateDir: string;
  /** Folder of the logs, absolute. */
  logsDir: string;
  rules: KeepRules;
  /** True: there is too little room, so that what only saves time goes at once. */
  short?: boolean;
  /** When an attempt of a task that nothing moves any more ended; null: it may still be needed, or is unknown. */
  endOf(attempt: AttemptKey): Promise<Date | null>;
  /** All runs of a repository; empty: they are unknown. */
  runsOf(repoId: string): Promise<readonly KnownRun[]>;
}

/** What a run needs of the user's repository. */
export interface KnownRun {
  /** What is fetched for it: full names of branches, and commits. */
  sources: readonly string[];
  /** Null: it is not over. */
  ended: Date | null;
}

/** Refs that are looked at in one round, and how many loose objects or packs make it worth packing a clone. */
const maxRefs = 5_000;
const manyLoose = 5_000;
const manyPacks = 30;
const dayMs = 86_400_000;
/** A log that was written to this lately may still be somebody's. */
const youngestLogMs = dayMs;

/** Lists what has outlived its retention. Nothing is changed: record the acts first, then apply them. @throws GIT_FAILED */
export async function planKeep(options: KeepOptions): Promise<KeepAct[]> {
  const { stateDir, logsDir, rules, short = false } = options;
  const acts: KeepAct[] = [];
  for (const repo of clonesIn(stateDir)) {
    const refs = [...(await oldRefs(options, repo)), ...(await staleFetches(options, repo))];
    acts.push(...refs, ...(await packing(options.git, { repo, refs: refs.length, short })));
    acts.push(...(await oldAside(options, repo)));
  }
  const { slots, retired, remains } = worktreesIn(stateDir);
  for (const slot of retired) {
    const reason = `it could not be cleared, and is tried again: ${retiredReason(slot) ?? ''}`;
    acts.push({ kind: 'worktree', path: slot, reason });
  }
  const worktrees = short ? { ms: 0, why: 'it is unused, and there is too little disk space' } : null;
  for (const slot of older(options, {
    things: slots.filter((slot) => !retired.includes(slot.path)),
    ms: worktrees?.ms ?? rules.worktreesMs,
  })) {
    const reason = worktrees?.why ?? `it has not been used for ${days(options, slot.changedMs)}`;
    acts.push({ kind: 'worktree', path: slot.path, reason });
  }
  for (const setUp of older(options, {
    things: setUpsIn(stateDir),
    ms: worktrees?.ms ?? rules.worktreesMs,
  })) {
    const reason = worktrees?.why ?? `no verification has used it for ${days(options, setUp.changedMs)}`;
    acts.push({ kind: 'set-up', path: setUp.path, reason });
  }
  for (const place of remains)
    acts.push({ kind: 'file', path: place, reason: 'what is left of a worktree that was removed' });
  const logsMs = rules.attemptsMs === null ? null : Math.max(rules.attemptsMs, youngestLogMs);
  for (const log of older(options, { things: logsIn(logsDir), ms: logsMs }))
    acts.push({ kind: 'file', path: log.path, reason: `last written ${days(options, log.changedMs)} ago` });
  return acts;
}

async function oldRefs(options: KeepOptions, repo: string): Promise<KeepAct[]> {
  const acts: KeepAct[] = [];
  for (const kept of await keptRefs(options.git, { repo, limit: maxRefs })) {
    const ms = kept.purpose === 'attempts' ? options.rules.attemptsMs : options.rules.salvageMs;
    if (ms === null) continue;
    const ended = await options.endOf(kept);
    if (ended === null || ended.getTime() > options.clock.now().getTime() - ms) continue;
    const reason = `its task is settled, and its attempt ended ${days(options, ended.getTime())} ago`;
    acts.push({ kind: 'ref', repo, ref: kept.ref, id: kept.id, reason }, ...keptFiles(kept, reason));
  }
  return acts;
}

/** Worktrees that could not be saved whole hold work: they stay as long as saved work does, and are never removed for want of room. */
async function oldAside(options: KeepOptions, repo: string): Promise<KeepAct[]> {
  const { aside, remains } = asideOf(repo);
  const acts: KeepAct[] = remains.map((place) => {
    return { kind: 'file', path: place, reason: 'what is left of a worktree set aside that was removed' };
  });
  const { salvageMs } = options.rules;
  for (const one of aside) {
    const ended = await options.endOf(one);
    if (ended === null || salvageMs === null) continue;
    const lastMs = Math.max(one.changedMs, ended.getTime());
    if (lastMs > options.clock.now().getTime() - salvageMs) continue;
    const reason = `its task is settled, and it was set aside ${days(options, one.changedMs)} ago`;
    acts.push({ kind: 'set-aside', path: one.path, reason });
  }
  return acts;
}

/** What was fetched for runs that are all over; what no run names goes when all runs of the repository are. */
async function staleFetches(options: KeepOptions, repo: string): Promise<KeepAct[]> {
  const { git, rules, clock } = options;
  if (rules.attemptsMs === null) return [];
  const fetched = await refsUnder(git, { repo, under: 'refs/baton/fetched', limit: maxRefs });
  if (fetched.length === 0) return [];
  const runs = await options.runsOf(path.basename(path.dirname(repo)));
  if (runs.length === 0) return [];
  const lastEnds = new Map<string, number>();
  let lastOfAll = -Infinity;
  for (const { sources, ended } of runs) {
    const endMs = ended?.getTime() ?? Infinity;
    lastOfAll = Math.max(lastOfAll, endMs);
    for (const ref of sources.map(fetchedRef)) lastEnds.set(ref, Math.max(lastEnds.get(ref) ?? endMs, endMs));
  }
  const before = clock.now().getTime() - rules.attemptsMs;
  return fetched.flatMap(({ ref, id }): KeepAct[] => {
    const last = lastEnds.get(ref) ?? lastOfAll;
    if (last > before) return [];
    const reason = `all runs that it was fetched for ended, the last ${days(options, last)} ago`;
    return [{ kind: 'ref', repo, ref, id, reason }];
  });
}

/** Files that looked like secrets were left out of the ref and kept beside the clone: they go with it. */
function keptFiles({ repo, purpose, taskId, fence }: KeptRef, reason: string): KeepAct[] {
  const folder = path.join(path.dirname(repo), 'kept-files', taskId, String(fence));
  const isThere = purpose === 'salvage' && lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  return isThere ? [{ kind: 'file', path: folder, reason }] : [];
}

async function packing(
  git: Git,
  { repo, refs, short }: { repo: string; refs: number; short: boolean },
): Promise<KeepAct[]> {
  const counted = await gitText(git, ['count-objects', '-v'], { cwd: repo });
  const read = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counted)?.[1] ?? 0);
  if (refs === 0 && !short && read('count') < manyLoose && read('packs') < manyPacks) return [];
  // Where histories end, or objects are missing on purpose, git may call something unneeded that is not.
  if (existsSync(path.join(repo, 'shallow'))) return [];
  const [borrower] = unknownBorrowers(repo);
  const fate =
    borrower === undefined
      ? 'what no ref, worktree or attempt names goes when it is 14 days old'
      : `all of them stay, since ${borrower} may need any`;
  const reason = `${read('count')} loose objects and ${read('packs')} packs; ${fate}`;
  return [{ kind: 'pack', repo, reason }];
}

function older({ clock }: KeepOptions, { things, ms }: { things: Aged[]; ms: number | null }): Aged[] {
  if (ms === null) return [];
  return things.filter(({ changedMs }) => changedMs <= clock.now().getTime() - ms);
}

function days({ clock }: KeepOptions, sinceMs: number): string {
  const count = Math.floor((clock.now().getTime() - sinceMs) / dayMs);
  return count === 1 ? '1 day' : `${count} days`;
}
