import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BatonError, type Git } from '@baton/contracts';
import { gitFailure, gitText, validateRefName } from '../git.ts';
import { cloneGuard, type CloneGuard } from './clone-guard.ts';
import { fileLock } from './file-lock.ts';
import { removeStaleLocks } from './stale-locks.ts';

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
  readonly git: Git;
  /**
   * Fetches a branch or a commit from the user's repository and returns the commit.
   *
   * @throws REF_INVALID when there is none, GIT_FAILED
   */
  fetchTarget(branchOrCommit: string): Promise<string>;
  /** The commit that a revision names in the clone, or null. */
  resolve(rev: string): Promise<string | null>;
  /** Gives an attempt's head a ref, `refs/baton/attempts/<task>/<fence>`, that keeps it, and returns the ref. */
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
 * @throws REPO_NOT_FOUND, GIT_FAILED, STATE_UNWRITABLE
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
  const own = ['refs', 'packed-refs.lock', 'config.lock', 'HEAD.lock', 'shallow.lock'];
  await removeStaleLocks({ places: own.map((name) => path.join(bare, name)) });
  if (path.isAbsolute(location)) await removeStaleLocks(await placesOfOurs(git, location));
  // Before any git runs there: a worker may have been killed before it looked.
  const guard = cloneGuard(bare);
  guard.restore();
  const objectFormat = await gitText(git, ['rev-parse', '--show-object-format'], { cwd: bare });
  return cloneAt({ git, bare, objectFormat, location, guard });
}

/** Refs in the user's repository that only Baton moves. The user may still look after a `baton/…` branch, so their git gets a moment. */
async function placesOfOurs(git: Git, location: string): Promise<{ places: string[]; standsMs: number }> {
  const found = await git(['rev-parse', '--git-common-dir'], { cwd: location });
  const common = path.resolve(location, found.stdout.trimEnd());
  const refs = found.exitCode === 0 ? ['refs/baton', 'refs/heads/baton'] : [];
  return { places: refs.map((name) => path.join(common, name)), standsMs: 1_000 };
}

async function makeClone(git: Git, { bare, location }: { bare: string; location: string }): Promise<void> {
  const draft = `${bare}.new`;
  rmSync(draft, { recursive: true, force: true });
  const isLocal = path.isAbsolute(location);
  if (isLocal && !existsSync(location))
    throw new BatonError('REPO_NOT_FOUND', `${location} does not exist.`, {
      fix: 'Name the folder of a git repository.',
    });
  // Borrowed objects would vanish with the repository they are borrowed from.
  const args = [
    'clone',
    '--bare',
    '--quiet',
    '--no-tags',
    '--dissociate',
    ...(isLocal ? ['--local'] : []),
    '--',
    location,
    draft,
  ];
  const made = await git(args, { cwd: path.dirname(bare), timeoutMs: 30 * 60_000 });
  if (made.exitCode !== 0) throw gitFailure(args, made);
  writeFileSync(path.join(draft, 'info', 'exclude'), '');
  rmSync(path.join(draft, 'hooks'), { recursive: true, force: true });
  await gitText(git, ['config', 'gc.auto', '0'], { cwd: draft });
  await gitText(git, ['config', 'core.logAllRefUpdates', 'false'], { cwd: draft });
  await hideBranches(git, draft);
  renameSync(draft, bare);
}

/** The user's branches of today only tell `fetch` what we have; under their own names they would soon be stale. */
async function hideBranches(git: Git, draft: string): Promise<void> {
  const printed = await gitText(git, ['for-each-ref', '--format=%(refname) %(objectname)'], { cwd: draft });
  const moves = printed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [ref = '', commit = ''] = line.split(' ');
      return `create refs/baton/origin/${ref.slice('refs/'.length)} ${commit}\ndelete ${ref}\n`;
    });
  await gitText(git, ['update-ref', '--stdin'], { cwd: draft, stdin: moves.join('') });
}

function cloneAt({
  git,
  bare,
  objectFormat,
  location,
  guard,
}: {
  git: Git;
  bare: string;
  objectFormat: string;
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
    git,
    resolve,
    fetchTarget: (wanted) => fetchTarget({ git, bare, location, resolve }, wanted),
    async keepAttempt({ taskId, fence, commit }) {
      const ref = attemptRef({ taskId, fence });
      await gitText(git, ['update-ref', ref, commit], at);
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

function parseSalvageRef(line: string): SalvageRef[] {
  const [, ref = '', taskId = '', fence = '', commit = ''] =
    /^(refs\/baton\/salvage\/(.+)\/(\d+)) (\S+)$/.exec(line) ?? [];
  return ref === '' ? [] : [{ ref, taskId, fence: Number(fence), commit }];
}

async function fetchTarget(
  clone: { git: Git; bare: string; location: string; resolve: Clone['resolve'] },
  wanted: string,
): Promise<string> {
  const isCommit = /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(wanted);
  if (isCommit) {
    const known = await clone.resolve(wanted);
    if (known !== null) return known;
  }
  const source = isCommit ? wanted : `refs/heads/${validateRefName(wanted)}`;
  // By hash: branches "a" and, later, "a/b" could not both be kept under their names.
  const kept = `refs/baton/fetched/${createHash('sha1').update(source).digest('hex')}`;
  const args = [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--',
    clone.location,
    `+${source}:${kept}`,
  ];
  for (let tries = 1; ; tries += 1) {
    const result = await clone.git(args, { cwd: clone.bare, timeoutMs: 10 * 60_000 });
    const commit = result.exitCode === 0 ? await clone.resolve(kept) : null;
    if (commit !== null) return commit;
    if (/couldn't find remote ref|not our ref|bad object/i.test(result.stderr)) {
      throw new BatonError(
        'REF_INVALID',
        `The repository has no ${isCommit ? 'commit' : 'branch'} "${wanted}".`,
        {
          fix: 'Name a branch or commit that exists there (git branch --list).',
          at: clone.location,
        },
      );
    }
    // Two processes that fetch the same branch meet at the lock of its ref; one of them goes again.
    if (tries === 5 || !/cannot lock ref|unable to (create|update)/i.test(result.stderr))
      throw gitFailure(args, result);
    await delay(50 * tries);
  }
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
