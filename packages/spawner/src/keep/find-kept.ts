import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Git } from '@baton/contracts';
import { gitText } from '../git/git.ts';
import { agentPool } from '../tree/slots.ts';
import {
  emptyState,
  readOwnedState,
  readState,
  unknownOwner,
  type WorkspaceState,
} from '../tree/workspace.ts';
import { retiredReason } from '../tree/retire-slot.ts';

/** Heads of attempts, trees that were saved, commits and stashes of the agent's own, and lists of what is in none of them. */
type Purpose = (typeof purposes)[number];
const purposes = ['attempts', 'salvage', 'own', 'left-out'] as const;

/** A ref of Baton's clone that keeps what an attempt made. */
export interface KeptRef {
  repo: string;
  ref: string;
  id: string;
  purpose: Purpose;
  taskId: string;
  fence: number;
}

/** A file or folder with the time of its last change, in milliseconds since the epoch. */
export interface Aged {
  path: string;
  changedMs: number;
}

/** Baton's clones in a state folder, absolute. */
export function clonesIn(stateDir: string): string[] {
  const folder = path.join(stateDir, 'repos');
  return namesIn(folder)
    .map((name) => path.join(folder, name, 'clone.git'))
    .filter((bare) => isFolder(bare));
}

/** The refs of a clone that belong to attempts, at most `limit`. @throws GIT_FAILED */
export async function keptRefs(
  git: Git,
  { repo, limit }: { repo: string; limit: number },
): Promise<KeptRef[]> {
  const found: KeptRef[] = [];
  for (const purpose of purposes) {
    for (const { id, ref } of await refsUnder(git, { repo, limit, under: `refs/baton/${purpose}` })) {
      const [, taskId = '', fence = ''] = attemptName.exec(ref.slice(`refs/baton/${purpose}/`.length)) ?? [];
      if (taskId !== '') found.push({ repo, ref, id, purpose, taskId, fence: Number(fence) });
    }
  }
  return found;
}

const attemptName = /^([0-9a-f-]{36})\/(\d+)(?:[./][^/]+)*$/;

/** Refs below a name, at most `limit`. @throws GIT_FAILED */
export async function refsUnder(
  git: Git,
  { repo, under, limit }: { repo: string; under: string; limit: number },
): Promise<{ id: string; ref: string }[]> {
  const args = ['for-each-ref', `--count=${limit}`, '--sort=refname', '--format=%(objectname) %(refname)'];
  const printed = await gitText(git, [...args, under], { cwd: repo });
  return printed.split('\n').flatMap((line) => {
    const [id = '', ref = ''] = line.split(' ');
    return ref === '' ? [] : [{ id, ref }];
  });
}

/** A worktree that was set aside, in the folder that holds its record, too. */
export interface KeptAside extends Aged {
  taskId: string;
  fence: number;
}

/** Worktrees that were set aside beside a clone; remains of removed ones apart. */
export function asideOf(repo: string): { aside: KeptAside[]; remains: string[] } {
  const folders = foldersIn(path.join(path.dirname(repo), 'set-aside'))
    .filter((task) => /^[0-9a-f-]{36}$/.test(path.basename(task)))
    .flatMap(foldersIn);
  const aside = folders.flatMap((folder) => {
    const [, fence] = /^(\d+)\.\d+$/.exec(path.basename(folder)) ?? [];
    const stat = lstatSync(path.join(folder, 'record.json'), { throwIfNoEntry: false });
    if (fence === undefined || stat === undefined) return [];
    const taskId = path.basename(path.dirname(folder));
    return [{ path: folder, taskId, fence: Number(fence), changedMs: stat.mtimeMs }];
  });
  return { aside, remains: folders.filter((folder) => /^\d+\.\d+\.gone$/.test(path.basename(folder))) };
}

/**
 * Worktrees of a clone of which it is not on record what they stand on: their commits, indexes and logs may borrow any object of the clone.
 * Those that were set aside, and those whose record is lost.
 */
export function unknownBorrowers(repo: string): string[] {
  const folder = path.dirname(repo);
  const aside = foldersIn(path.join(folder, 'set-aside'))
    .flatMap(foldersIn)
    .map((place) => path.join(place, 'tree'))
    .filter((tree) => lstatSync(tree, { throwIfNoEntry: false }) !== undefined);
  const lost = slotsOf(repo).filter((slot) => stateOf(slot).owner?.taskId === unknownOwner.taskId);
  return [...aside, ...lost];
}

/** Worktrees of a clone, those of verifications included. */
export function slotsOf(repo: string): string[] {
  const stateDir = path.resolve(repo, '../../..');
  const repoId = path.basename(path.dirname(repo));
  return worktreesIn(stateDir)
    .slots.map((slot) => slot.path)
    .filter((slot) => path.relative(stateDir, slot).split(path.sep).includes(repoId));
}

/** What set-up made for verifications that share it, with the time when one last asked for it; no slot names these now. */
export function setUpsIn(stateDir: string): Aged[] {
  return poolsIn(stateDir).flatMap((pool) => {
    const used = usedSetUps(pool);
    return foldersIn(path.join(pool, 'setups')).flatMap((folder) => {
      const [, key] = /^([0-9a-f]{32})(?:\.new)?$/.exec(path.basename(folder)) ?? [];
      if (key === undefined || used.includes(key)) return [];
      // Each use touches the mark of one that is ready; the mark's ctime counts, for the folder's lags behind.
      const ready = lstatSync(path.join(folder, 'ready'), { throwIfNoEntry: false });
      const stat = ready ?? lstatSync(folder, { throwIfNoEntry: false });
      return stat === undefined ? [] : [{ path: folder, changedMs: stat.ctimeMs }];
    });
  });
}

/** Keys of the set-ups that verifications of a pool use now. */
export function usedSetUps(pool: string): string[] {
  return foldersIn(path.join(pool, 'slots')).flatMap((slot) => {
    try {
      return [readFileSync(path.join(slot, 'uses'), 'utf8')];
    } catch {
      return []; // it uses none
    }
  });
}

/** Worktrees of all pools in a state folder with the time when their record last changed; retired ones and remains of removed ones apart. */
export function worktreesIn(stateDir: string): { slots: Aged[]; retired: string[]; remains: string[] } {
  // Those of verification stand one level deeper, beside what set-up made.
  const places = poolsIn(stateDir).flatMap((pool) => [pool, path.join(pool, 'slots')]);
  const slots: Aged[] = [];
  const retired: string[] = [];
  const remains: string[] = [];
  for (const slot of places.flatMap(foldersIn)) {
    const name = path.basename(slot);
    if (/^w\d+\.gone$/.test(name)) remains.push(slot);
    if (!/^w\d+$/.test(name)) continue;
    if (retiredReason(slot) !== null) retired.push(slot);
    const record = changedMs(path.join(slot, 'meta', 'state.json')) ?? changedMs(path.join(slot, 'tree'));
    if (record !== null) slots.push({ path: slot, changedMs: record });
  }
  return { slots, retired, remains };
}

/**
 * What is on record of a worktree of one of the pools. One of an agent whose record cannot be read counts as work of
 * {@link unknownOwner}; those of verifications hold no agent's.
 */
export function stateOf(slot: string): WorkspaceState {
  const isAgents = path.basename(path.dirname(slot)) === agentPool;
  try {
    return (isAgents ? readOwnedState : readState)(path.join(slot, 'meta'));
  } catch {
    return isAgents ? { ...emptyState, owner: unknownOwner } : { ...emptyState };
  }
}

/** Logs of agents and runs. */
export function logsIn(logsDir: string): Aged[] {
  return namesIn(logsDir).flatMap((name) => {
    const file = path.join(logsDir, name);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    return /\.log(\.\d+)?$/.test(name) && stat?.isFile() === true
      ? [{ path: file, changedMs: stat.mtimeMs }]
      : [];
  });
}

function poolsIn(stateDir: string): string[] {
  return foldersIn(path.join(stateDir, 'worktrees')).flatMap(foldersIn).flatMap(foldersIn);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function foldersIn(folder: string): string[] {
  return namesIn(folder)
    .map((name) => path.join(folder, name))
    .filter(isFolder);
}

function isFolder(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}

function changedMs(place: string): number | null {
  return lstatSync(place, { throwIfNoEntry: false })?.mtimeMs ?? null;
}
