import { existsSync, lstatSync, readFileSync, renameSync, rmSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import type { Git } from '@baton/contracts';
import { tryFileLock } from '../process/file-lock.ts';
import { isStuck, retiredReason } from '../tree/retire-slot.ts';
import { slotsOf, stateOf, unknownBorrowers, usedSetUps } from './find-kept.ts';
import { removeTree } from '../tree/remove-tree.ts';
import { reviveSlot } from '../workspace/tidy-slot.ts';
import { placeOf, type KeepAct } from './keep-act.ts';

/** Objects that nothing names are kept this long all the same: something under way may be about to name them. */
const grace = '14.days.ago';
const packMs = 60 * 60_000;

/** Where acts are done. */
export interface ApplyPlace {
  git: Git;
  /** Baton's state folder, absolute: nothing outside of it and of the logs is touched. */
  stateDir: string;
  logsDir: string;
}

/** Does acts that are on record; leaves what has moved, is held, is outside by now or cannot be removed. @returns the acts that were done */
export async function applyKeep(place: ApplyPlace, acts: readonly KeepAct[]): Promise<KeepAct[]> {
  const done: KeepAct[] = [];
  // Refs first: only then can their objects go with the packing.
  const order = (act: KeepAct): number => (act.kind === 'pack' ? 1 : 0);
  for (const act of [...acts].sort((a, b) => order(a) - order(b)))
    if (await applied(place, act)) done.push(act);
  return done;
}

/** One thing that cannot be removed keeps nothing else from going; the next round tries it again. */
async function applied(place: ApplyPlace, act: KeepAct): Promise<boolean> {
  try {
    return await apply(place, act);
  } catch (cause) {
    if (isStuck(cause, placeOf(act)) || isStuck(cause, `${placeOf(act)}.gone`)) return false;
    throw cause;
  }
}

async function apply(place: ApplyPlace, act: KeepAct): Promise<boolean> {
  switch (act.kind) {
    case 'ref': {
      if (
        !isOurs(place, act.repo) ||
        !/^refs\/baton\/(attempts|salvage|own|left-out|fetched)\//.test(act.ref)
      )
        return false;
      const deleted = await place.git(['update-ref', '-d', act.ref, act.id], {
        cwd: act.repo,
        finishes: true,
      });
      return deleted.exitCode === 0;
    }
    case 'worktree':
      return isOurs(place, act.path) && removeWorktree(act.path);
    case 'set-aside':
      return isOurs(place, act.path) && removeAside(act.path);
    case 'set-up':
      return isOurs(place, act.path) && removeSetUp(act.path);
    case 'file':
      if (!isOurs(place, act.path)) return false;
      await removeTree(act.path);
      return true;
    case 'pack':
      return isOurs(place, act.repo) && packClone(place, act.repo);
  }
}

function isOurs({ stateDir, logsDir }: ApplyPlace, file: string): boolean {
  return [stateDir, logsDir].some((folder) =>
    path.resolve(file).startsWith(`${path.resolve(folder)}${path.sep}`),
  );
}

/** Only one that is not held and in which no attempt's work is. */
async function removeWorktree(slot: string): Promise<boolean> {
  if (!existsSync(slot)) return false;
  const lock = tryFileLock(path.join(slot, 'lock'));
  if (lock === null) return false;
  if (stateOf(slot).owner !== null) {
    lock.release();
    return false;
  }
  if (retiredReason(slot) !== null) {
    await reviveSlot(slot).finally(() => lock.release());
    return true;
  }
  // Renamed, its name and its lock are free for a new one at once; a kill from here on leaves remains that the next round finds.
  await removeRenamed(slot);
  return true;
}

/** Renamed first: one that is half removed is nothing that a person could take for saved work. */
async function removeAside(folder: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  await removeRenamed(folder);
  try {
    rmdirSync(path.dirname(folder));
  } catch {
    // The task has another one.
  }
  return true;
}

/** Only one that no verification uses or makes: they name it under the same lock. */
async function removeSetUp(folder: string): Promise<boolean> {
  const key = path.basename(folder, '.new');
  const setUps = path.dirname(folder);
  if (!existsSync(folder)) return false;
  const lock = tryFileLock(path.join(setUps, `${key}.lock`));
  if (lock === null) return false;
  try {
    if (usedSetUps(path.dirname(setUps)).includes(key)) return false;
    // Without this mark, a set-up that a kill leaves half removed is made again.
    rmSync(path.join(folder, 'ready'), { force: true });
    await removeTree(folder);
    return true;
  } finally {
    lock.release();
  }
}

async function removeRenamed(folder: string): Promise<void> {
  await removeTree(`${folder}.gone`);
  renameSync(folder, `${folder}.gone`);
  await removeTree(`${folder}.gone`);
}

/** Packs a clone while others may work on it. What worktrees stand on is given refs first: git does not know of them. */
async function packClone({ git }: ApplyPlace, repo: string): Promise<boolean> {
  const heads = slotsOf(repo).flatMap(headsOf);
  const at = { cwd: repo, finishes: true };
  for (const head of new Set(heads)) await git(['update-ref', `refs/baton/worktrees/${head}`, head], at); // refused for one that is not here: nothing to keep
  // Nothing may be written where the clone's guard looks (info/), and no graph may name what goes.
  const settings = ['repack.updateServerInfo=false', 'gc.writeCommitGraph=false', 'gc.autoDetach=false'];
  // What a tree of unknown needs may borrow stays, packed like the rest.
  const all = unknownBorrowers(repo).length > 0;
  const pack = all ? ['repack', '-a', '-d', '-l', '-q', '-k'] : ['gc', '--quiet', `--prune=${grace}`];
  const args = [...settings.flatMap((setting) => ['-c', setting]), ...pack];
  const packed = await git(args, { ...at, timeoutMs: packMs });
  for (const head of new Set(heads)) await git(['update-ref', '-d', `refs/baton/worktrees/${head}`], at);
  return packed.exitCode === 0;
}

/** Commits that a worktree was set to, and that its agent's git has checked out. */
function headsOf(slot: string): string[] {
  const { head, startCommit } = stateOf(slot);
  const file = path.join(slot, 'tree', '.git', 'HEAD');
  const isFile = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
  const detached = isFile ? readFileSync(file, 'latin1').trim() : '';
  return [head, startCommit, detached].flatMap((commit) =>
    commit !== null && /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(commit) ? [commit] : [],
  );
}
