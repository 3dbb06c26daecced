import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BatonError, shellWord, type Git } from '@baton/contracts';
import { gitFailure, gitText, validateRefName } from '../git/git.ts';
import { cloneGuard, type CloneGuard } from './clone-guard.ts';
import { completeInClone, fetchTarget } from './fetch-target.ts';
import { fileLock } from '../process/file-lock.ts';
import { makeClone } from './make-clone.ts';
import { moveKeptRef } from './move-kept-ref.ts';
import { enterClone, isUsedElsewhere } from './clone-users.ts';
import { removeStaleLocks, type StaleLocksOptions } from '../git/stale-locks.ts';

/** A task and the fence under which one attempt at it was made: names attempt and salvage refs. */
export interface AttemptKey {
  taskId: string;
  fence: number;
}

/** A salvaged tree in the clone. */
export interface SalvageRef extends AttemptKey {
  ref: string;
  commit: string;
}

/** Baton's own bare clone of a repository. The user's repository is only read. */
export interface Clone {
  /** Absolute path of the bare repository. */
  readonly path: string;
  /** Name of the hash that the repository uses. */
  readonly objectFormat: string;
  /** Absolute path of the attributes that the user's repository keeps for itself (`info/attributes`); null: none, or on another machine. */
  readonly attributesFile: string | null;
  readonly git: Git;
  /**
   * Fetches a branch or a commit from the user's repository and returns the commit.
   *
   * @throws REF_INVALID when there is none, REPO_NOT_FOUND, GIT_FAILED
   */
  fetchTarget(branchOrCommit: string): Promise<string>;
  /**
   * Makes sure that every file of a commit is in the clone: what was missing when it was made and has been brought since is fetched.
   *
   * @throws REPO_INCOMPLETE with the command that brings it into the user's repository, GIT_FAILED
   */
  requireComplete(commit: string): Promise<void>;
  /** The commit that a revision names in the clone, or null. */
  resolve(rev: string): Promise<string | null>;
  /** Gives an attempt's head a ref, `refs/baton/attempts/<task>/<fence>`, that keeps it, and returns the ref. {@link moveKeptRef} keeps what it named before. */
  keepAttempt(attempt: AttemptKey & { commit: string }): Promise<string>;
  /** What was salvaged, for one task or for all, oldest fence first. */
  salvageRefs(taskId?: string): Promise<SalvageRef[]>;
  isAncestor(ancestor: string, descendant: string): Promise<boolean>;
  /** Paths that differ between two commits or trees, sorted. */
  changedPaths(from: string, to: string): Promise<string[]>;
  /** Hash over config, hooks, info and refs that are not Baton's: changes only when someone other than Baton wrote there. */
  fingerprint(): Promise<string>;
  /**
   * Puts back what someone else changed of config, hooks, info and refs, and names it; empty: nothing was. To be called when
   * an agent has ended, before any git of ours runs on the clone: what was planted there would run with it.
   */
  restore(): Promise<string[]>;
}

/** Where the clone of a repository lies and what it is made from. */
export interface OpenCloneOptions {
  git: Git;
  /** Baton's state folder, absolute. */
  stateDir: string;
  /** Id of the repository in the store; becomes a folder's name. */
  repoId: string;
  /** Absolute path, or URL, of the user's repository. */
  location: string;
}

/**
 * Opens Baton's bare clone of a repository, making it first when there is none (hard-linked where the file system
 * can, without alternates: a `git gc` of the user's cannot take objects from it). Locks that a killed git of ours left there, or at
 * Baton's own refs in the user's repository, are removed. Safe to call from several processes.
 *
 * @throws REPO_NOT_FOUND, REPO_CHANGED, GIT_FAILED, STATE_UNWRITABLE
 */
export async function openClone({ git, stateDir, repoId, location }: OpenCloneOptions): Promise<Clone> {
  if (!/^[A-Za-z0-9._-]+$/.test(repoId) || repoId.startsWith('.')) {
    throw new BatonError('INVALID_INPUT', `"${repoId}" cannot name a folder.`, {
      fix: 'Use letters, digits, ".", "_" and "-".',
    });
  }
  const folder = path.join(stateDir, 'repos', repoId);
  const bare = path.join(folder, 'clone.git');
  makeFolder(folder);
  if (!existsSync(bare)) {
    const lock = await fileLock(path.join(folder, 'clone.lock'), () => delay(50));
    try {
      if (!existsSync(bare)) await makeClone(git, { bare, location });
    } finally {
      lock.release();
    }
  }
  const source = path.isAbsolute(location) ? await lookAtSource(git, location) : null;
  enterClone(folder);
  const isInUse = (): Promise<boolean> => isUsedElsewhere(folder);
  const own = ['refs', 'packed-refs.lock', 'config.lock', 'HEAD.lock', 'shallow.lock'];
  await removeStaleLocks({
    places: own.map((name) => path.join(bare, name)),
    objects: [path.join(bare, 'objects')],
    roots: [bare],
    isInUse,
  });
  if (source !== null) await removeStaleLocks({ ...placesOfOurs(source), isInUse });
  // Before any git runs there: a worker may have been killed before it looked.
  const guard = cloneGuard(bare, { shallowSource: source?.shallow ?? null });
  guard.restore();
  const objectFormat = await gitText(git, ['rev-parse', '--show-object-format'], { cwd: bare });
  if (source !== null && source.objectFormat !== objectFormat)
    throw changedFormat({ folder, objectFormat, location });
  const attributes = source === null ? null : path.join(source.gitDir, 'info', 'attributes');
  const attributesFile = attributes !== null && existsSync(attributes) ? attributes : null;
  return cloneAt({ git, bare, objectFormat, attributesFile, location, guard });
}

/** What of the user's repository, on this machine, its clone depends on. */
interface Source {
  /** Absolute path of its common git folder. */
  gitDir: string;
  /** Absolute path of its `shallow` file, which need not be there. */
  shallow: string;
  objectFormat: string;
  /** Absolute paths of its working trees. */
  trees: string[];
}

async function lookAtSource(git: Git, location: string): Promise<Source | null> {
  const args = ['rev-parse', '--show-object-format', '--path-format=absolute', '--git-common-dir'];
  const found = await git(args, { cwd: location });
  // The name of a folder may have line breaks: it comes last.
  const [, objectFormat = '', gitDir = ''] = /^(\w+)\n(.*)\n$/s.exec(found.stdout) ?? [];
  if (found.exitCode !== 0 || gitDir === '') return null;
  const listed = await git(['worktree', 'list', '--porcelain', '-z'], { cwd: location });
  const trees = listed.stdout.split('\0').flatMap((line) => /^worktree (.+)$/s.exec(line)?.[1] ?? []);
  return { gitDir, shallow: path.join(gitDir, 'shallow'), objectFormat, trees: [location, ...trees] };
}

/** Refs in the user's repository that only Baton moves. The user may still look after a `baton/…` branch, so their git gets a moment. */
function placesOfOurs({ gitDir, trees }: Source): StaleLocksOptions {
  const places = ['refs/baton', 'refs/heads/baton'].map((name) => path.join(gitDir, name));
  return { places, roots: [gitDir, ...trees], standsMs: 1_000 };
}

function changedFormat(was: { folder: string; objectFormat: string; location: string }): BatonError {
  const { folder, objectFormat, location } = was;
  return new BatonError(
    'REPO_CHANGED',
    `${location} is another repository than before: Baton's clone of it uses ${objectFormat} object names, and it does not.`,
    {
      fix: `Set the clone aside, with all that it keeps: \`mv ${shellWord(folder)} ${shellWord(`${folder}-${objectFormat}`)}\``,
      at: location,
    },
  );
}

function cloneAt({
  git,
  bare,
  objectFormat,
  attributesFile,
  location,
  guard,
}: {
  git: Git;
  bare: string;
  objectFormat: string;
  attributesFile: string | null;
  location: string;
  guard: CloneGuard;
}): Clone {
  const at = { cwd: bare };
  const resolve = async (rev: string) => {
    const found = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${rev}^{commit}`], at);
    return found.exitCode === 0 ? found.stdout.trimEnd() : null;
  };
  return {
    path: bare,
    objectFormat,
    attributesFile,
    git,
    resolve,
    fetchTarget: (wanted) => fetchTarget({ git, bare, location, guard, resolve }, wanted),
    requireComplete: (commit) => completeInClone({ git, bare, location }, commit),
    async keepAttempt({ taskId, fence, commit }) {
      const ref = attemptRef({ taskId, fence });
      await moveKeptRef(git, { repo: bare, ref, commit });
      return ref;
    },
    async salvageRefs(taskId) {
      const under =
        taskId === undefined ? 'refs/baton/salvage' : `refs/baton/salvage/${validateRefName(taskId)}`;
      const printed = await gitText(git, ['for-each-ref', '--format=%(refname) %(objectname)', under], at);
      return printed
        .split('\n')
        .flatMap(parseSalvageRef)
        .sort((a, b) => a.taskId.localeCompare(b.taskId) || a.fence - b.fence);
    },
    async isAncestor(ancestor, descendant) {
      const result = await git(['merge-base', '--is-ancestor', ancestor, descendant], at);
      if (result.exitCode === 0 || result.exitCode === 1) return result.exitCode === 0;
      throw gitFailure(['merge-base', '--is-ancestor'], result);
    },
    async changedPaths(from, to) {
      const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff', from, to];
      return (await gitText(git, args, at))
        .split('\0')
        .filter((file) => file !== '')
        .sort();
    },
    fingerprint: () => Promise.resolve(guard.fingerprint()),
    restore: () => Promise.resolve(guard.restore()),
  };
}

/** Name of the ref that keeps an attempt's head. @throws REF_INVALID */
export function attemptRef({ taskId, fence }: AttemptKey): string {
  return validateRefName(`refs/baton/attempts/${taskId}/${fence}`);
}

/** Name of the ref that holds what an attempt left behind. @throws REF_INVALID */
export function salvageRef({ taskId, fence }: AttemptKey): string {
  return validateRefName(`refs/baton/salvage/${taskId}/${fence}`);
}

/** Name of the ref, of this machine alone, that holds commits of the agent's own that lead nowhere else. @throws REF_INVALID */
export function ownRef({ taskId, fence }: AttemptKey): string {
  return validateRefName(`refs/baton/own/${taskId}/${fence}`);
}

/** Name of the ref of a blob that lists what an attempt left and no ref holds. @throws REF_INVALID */
export function leftOutRef({ taskId, fence }: AttemptKey): string {
  return validateRefName(`refs/baton/left-out/${taskId}/${fence}`);
}

function parseSalvageRef(line: string): SalvageRef[] {
  const [, ref = '', taskId = '', fence = '', commit = ''] =
    /^(refs\/baton\/salvage\/(.+)\/(\d+)) (\S+)$/.exec(line) ?? [];
  return ref === '' ? [] : [{ ref, taskId, fence: Number(fence), commit }];
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new BatonError('STATE_UNWRITABLE', `The folder ${folder} cannot be made.`, {
      fix: 'Make it writable, or point BATON_HOME to a folder that is.',
      cause,
    });
  }
}
