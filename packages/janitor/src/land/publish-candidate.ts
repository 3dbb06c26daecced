import { BatonError, type Git } from '@baton/contracts';
import { landingRefName } from '../ref-name.ts';
import { gitText } from '../run-git.ts';
import { isRemote, quietFetch } from './target-place.ts';

/** Where a candidate is, and where it shall go. */
interface Places {
  git: Git;
  clone: string;
  /** The target's repository, a folder or a URL. */
  repo: string;
}

/**
 * Keeps a candidate alive under `refs/baton/landing/<id>`, in the clone and, when the target is local, in the target's repository: its
 * objects must be there before the intent that names them is written (landing.md §2). Repeating it is harmless.
 * @returns the ref, for {@link dropLandingRef}
 * @throws GIT_FAILED, REF_INVALID
 */
export async function publishCandidate(
  options: Places & { commit: string; landingId: string },
): Promise<string> {
  const { git, clone, repo, commit } = options;
  const ref = landingRefName(options.landingId);
  await gitText(git, ['update-ref', ref, commit], { cwd: clone });
  if (!isRemote(repo) && repo !== clone)
    await gitText(git, ['fetch', ...quietFetch, clone, `+${ref}:${ref}`], { cwd: repo });
  return ref;
}

/** Removes a landing's ref from both repositories; harmless when it is gone. @throws GIT_FAILED, REF_INVALID */
export async function dropLandingRef(options: Places & { ref: string }): Promise<void> {
  const { git, clone, repo, ref } = options;
  if (!ref.startsWith('refs/baton/landing/')) {
    throw new BatonError('REF_INVALID', `${ref} is not the ref of a landing.`, {
      fix: 'Pass what publishCandidate returned.',
    });
  }
  for (const cwd of new Set(isRemote(repo) ? [clone] : [repo, clone]))
    await gitText(git, ['update-ref', '-d', ref], { cwd });
}
