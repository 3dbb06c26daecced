import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BatonError, type Git } from '@baton/contracts';
import { missingObjects, requireCompleteCommit } from '../git/complete-commit.ts';
import { gitFailure, validateRefName } from '../git/git.ts';
import type { CloneGuard } from './clone-guard.ts';
import { requireLocation } from './make-clone.ts';
import { senderArgs } from './sender.ts';
import { damagedClone, removeEmptied, saysDamage } from './mend-clone.ts';

/** Where is fetched from and into. */
export interface FetchPlace {
  git: Git;
  /** Absolute path of the bare clone. */
  bare: string;
  /** Absolute path, or URL, of the user's repository. */
  location: string;
  guard: CloneGuard;
  /** The commit that a revision names in the clone, or null. */
  resolve(rev: string): Promise<string | null>;
}

const tries = 5;

/**
 * Fetches a branch or a commit from the user's repository and returns the commit.
 *
 * @throws REF_INVALID when there is none, REPO_NOT_FOUND, GIT_FAILED
 */
export async function fetchTarget(clone: FetchPlace, wanted: string): Promise<string> {
  const isCommit = /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(wanted);
  if (isCommit) {
    const known = await clone.resolve(wanted);
    if (known !== null) return known;
  }
  requireLocation(clone.location);
  const source = isCommit ? wanted : `refs/heads/${validateRefName(wanted)}`;
  return fetchInto(clone, { source, kept: fetchedRef(source), wanted });
}

/**
 * The ref of Baton's clone that keeps what was fetched from a branch (full name) or a commit. It is a hash: branches "a" and,
 * later, "a/b" could not both be kept under their names.
 */
export function fetchedRef(source: string): string {
  return `refs/baton/fetched/${createHash('sha1').update(source).digest('hex')}`;
}

async function fetchInto(
  clone: FetchPlace,
  { source, kept, wanted }: { source: string; kept: string; wanted: string },
): Promise<string> {
  // A shallow repository may begin elsewhere than when it was cloned (fetched with another depth); its new beginning is taken over.
  const shallow = path.isAbsolute(clone.location) ? ['--update-shallow'] : [];
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', ...shallow];
  const all = [...args, ...senderArgs(clone.location), '--', clone.location, `+${source}:${kept}`];
  for (let tried = 1; ; tried += 1) {
    const result = await clone.git(all, { cwd: clone.bare, timeoutMs: 10 * 60_000 });
    await clone.guard.acceptShallow();
    const commit = result.exitCode === 0 ? await clone.resolve(kept) : null;
    if (commit !== null) return commit;
    if (saysDamage.test(result.stderr)) {
      if (tried < tries && removeEmptied(clone.bare) > 0) continue;
      if (await isThere(clone, source)) throw damagedClone(clone);
    }
    if (/couldn't find remote ref|not our ref|bad object/i.test(result.stderr)) {
      throw new BatonError('REF_INVALID', `The repository has no branch or commit "${wanted}".`, {
        fix: 'Name a branch or commit that exists there (`git branch --list`).',
        at: clone.location,
      });
    }
    // Two processes that fetch the same branch meet at the lock of its ref; one of them goes again.
    if (
      tried === tries ||
      // Fetched, but gone again: somebody who cleans up took it for stale.
      (result.exitCode !== 0 &&
        !/cannot lock ref|unable to (create|update)|shallow file has changed/i.test(result.stderr))
    )
      throw gitFailure(all, result);
    await delay(50 * tried);
  }
}

/** Whether a repository of this machine has a branch (full name) or a commit, and can read all of it. */
async function isThere({ git, location }: FetchPlace, source: string): Promise<boolean> {
  if (!path.isAbsolute(location)) return false;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${source}^{commit}`];
  const found = await git(args, { cwd: location });
  if (found.exitCode !== 0) return false;
  return (await missingObjects({ git, repo: location, commit: found.stdout.trim() })) === 0;
}

/**
 * Makes sure that every file of a commit is in the clone. A repository that was made complete since it was cloned is asked for everything
 * again: git believes that a commit which it has came with its files.
 *
 * @throws REPO_INCOMPLETE, GIT_FAILED
 */
export async function completeInClone(
  { git, bare, location }: Pick<FetchPlace, 'git' | 'bare' | 'location'>,
  commit: string,
): Promise<void> {
  if ((await missingObjects({ git, repo: bare, commit })) === 0) return;
  if (path.isAbsolute(location)) await requireCompleteCommit({ git, repo: location, commit });
  removeEmptied(bare);
  const kept = fetchedRef(commit);
  const args = ['fetch', '--refetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--update-shallow'];
  const all = [...args, ...senderArgs(location), '--', location, `+${commit}:${kept}`];
  const fetched = await git(all, { cwd: bare, timeoutMs: 30 * 60_000 });
  const isDamaged = fetched.exitCode !== 0 && saysDamage.test(fetched.stderr);
  if (fetched.exitCode !== 0 && !isDamaged) throw gitFailure(all, fetched);
  // The repository has all of it.
  if (path.isAbsolute(location) && (isDamaged || (await missingObjects({ git, repo: bare, commit })) > 0))
    throw damagedClone({ bare, location });
  await requireCompleteCommit({ git, repo: bare, commit, location });
}
