import { lstat, realpath, rm } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve as resolvePath } from 'node:path';
import { BatonError } from '@baton/contracts';
import { branchRef } from '../ref-name.ts';
import { gitLine, gitSays, gitText } from '../run-git.ts';
import { bringForward } from './bring-forward.ts';
import { checkedOutAt } from './checkout.ts';
import { commonFolder, finalRef } from './git-folders.ts';
import { repairCheckout } from './repair-checkout.ts';
import { haveObject, isRemote, objectsOf, readRefs, type TargetPlace } from './target-place.ts';
import { targetUse } from './target-use.ts';

/** Whether a commit is on the target: the one definition of "landed" (docs/spec/landing.md#settling-intents). @throws GIT_FAILED */
export async function isLanded(options: TargetPlace & { target: string; commit: string }): Promise<boolean> {
  const ref = branchRef(options.target);
  const [head = null] = await readRefs(options, [ref]);
  if (head === null) return false;
  await haveObject(options, { ref, id: head });
  const known = await options.git(['cat-file', '-e', `${options.commit}^{commit}`], {
    cwd: objectsOf(options),
  });
  if (known.exitCode !== 0) return false;
  return gitSays(options.git, ['merge-base', '--is-ancestor', options.commit, head], {
    cwd: objectsOf(options),
  });
}

/**
 * The lock files that git will take in the target's repository while a landing moves its refs; they stand in the intent, so that after
 * a crash exactly these may be removed. A lock that is there already is another's and left out. Empty for a remote target.
 * @throws GIT_FAILED
 */
export async function landingLockFiles(
  options: TargetPlace & { target: string; laneRef: string },
): Promise<string[]> {
  if (isRemote(options.repo)) return [];
  const { git, repo, target } = options;
  const common = await commonFolder(git, repo);
  const branch = branchRef(target);
  const locked = new Set([branch, await finalRef(git, { repo, ref: branch }), options.laneRef]);
  const refs = [...locked].map((ref) => join(common, `${ref}.lock`));
  const worktree = await checkedOutAt(git, { repo, target });
  if (worktree === null) return notThere(refs);
  const own = resolvePath(worktree, await gitLine(git, ['rev-parse', '--git-dir'], { cwd: worktree }));
  return notThere([...refs, ...['index.lock', 'HEAD.lock', 'ORIG_HEAD.lock'].map((name) => join(own, name))]);
}

async function notThere(files: readonly string[]): Promise<string[]> {
  const isThere = (file: string): Promise<boolean> =>
    lstat(file).then(
      () => true,
      () => false,
    );
  const there = await Promise.all(files.map(isThere));
  return files.filter((_, index) => there[index] === false);
}

/** An intent whose holder may have died in the middle of it. */
export interface SettleOptions extends TargetPlace {
  target: string;
  /** As it was written before the refs moved; `lockFiles` from {@link landingLockFiles}. */
  intent: { fromCommit: string; candidateCommit: string; holder: { lockFiles: readonly string[] } };
  /** True only when the holder's process (pid and start time, on this host) is known to be gone. */
  holderDead: boolean;
  /** Without it, no lock of the dead holder counts as held. */
  lockHolder?: LockHolder;
  /** Told of worktrees that were switched to the target while it moved, and have the files of its former head: see `behindText`. */
  onBehind?: (worktrees: readonly string[]) => Promise<void>;
}

/**
 * Finds out what became of an intent. For a holder known to be dead its lock files are removed and a checkout that its fast-forward left
 * half done is put right first; a living holder is left alone. A worktree that was switched to the target just before the ref moved is
 * brought forward afterwards.
 * @returns whether it landed: its commit is an ancestor of the target
 * @throws GIT_FAILED, PATH_OUTSIDE when a lock file does not lie in the repository's git folder
 */
export async function settleIntent(options: SettleOptions): Promise<boolean> {
  const isCutOff = options.holderDead && !isRemote(options.repo);
  if (isCutOff) {
    await removeDeadLocks({ ...options, lockFiles: options.intent.holder.lockFiles });
    const worktree = await checkedOutAt(options.git, options);
    // What is half done there may be the merge that a person has begun since.
    const use = await targetUse(options.git, options);
    if (worktree !== null && (use === null || use.operation === 'checkout' || use.operation === 'away'))
      await repairCheckout(options.git, {
        worktree,
        from: options.intent.fromCommit,
        to: options.intent.candidateCommit,
      });
  }
  const isOnTarget = await isLanded({ ...options, commit: options.intent.candidateCommit });
  if (isOnTarget && isCutOff) await bringLeft(options);
  return isOnTarget;
}

/** A holder that moved the ref of a target that was nowhere checked out may have died before it looked whether somebody had switched to it. */
async function bringLeft({ git, repo, target, intent, onBehind }: SettleOptions): Promise<void> {
  if (intent.holder.lockFiles.some((file) => basename(file) === 'index.lock')) return;
  const [from, to] = [intent.fromCommit, intent.candidateCommit];
  if ((await readRefs({ git, repo }, [branchRef(target)]))[0] !== to) return;
  const behind = await bringForward(git, { repo, target, from, to, isLeft: true });
  if (behind.length > 0) await onBehind?.(behind);
}

/** Who may hold a lock of git: the pid of a living git at work in one of the folders (absolute, without links), or null. */
export type LockHolder = (lock: { file: string; roots: readonly string[] }) => number | null;

/**
 * Removes the lock files of a holder whose process is *known* to be gone; needed before {@link openLaneRef}, since the lane's own lock
 * may be among them. Files that git does not use as locks of this repository are refused. One that a living git may hold stays: a
 * person's that came since, or the dead holder's own that is still at work.
 * @throws PATH_OUTSIDE; GIT_FAILED, also while such a git lives
 */
export async function removeDeadLocks(
  options: TargetPlace & { lockFiles: readonly string[]; lockHolder?: LockHolder | undefined },
): Promise<void> {
  if (isRemote(options.repo) || options.lockFiles.length === 0) return;
  const { git, repo, lockHolder } = options;
  const common = await commonFolder(git, repo);
  const trees = await gitText(git, ['worktree', 'list', '--porcelain', '-z'], { cwd: repo });
  const folders = trees.split('\0').flatMap((line) => /^worktree (.+)$/s.exec(line)?.[1] ?? []);
  const roots = await Promise.all([common, repo, ...folders].map((one) => realpath(one).catch(() => one)));
  for (const file of options.lockFiles) {
    const inside = relative(common, file);
    if (isAbsolute(inside) || inside.startsWith('..') || !file.endsWith('.lock')) {
      throw new BatonError('PATH_OUTSIDE', `The lock file ${file} does not lie in ${common}.`, {
        at: file,
        fix: 'Remove the file by hand if nothing uses it, then start again.',
      });
    }
    const pid = lockHolder?.({ file, roots }) ?? null;
    if (pid !== null)
      throw new BatonError('GIT_FAILED', `The git process ${pid} works in ${repo} and may hold ${file}.`, {
        at: file,
        fix: `Finish what it waits for, or end it with \`kill ${pid}\`.`,
      });
    await rm(file, { force: true });
  }
}
