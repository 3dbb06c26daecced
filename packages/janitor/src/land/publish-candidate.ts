import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError, type Git } from '@baton/contracts';
import { branchRef, landingRefName } from '../ref-name.ts';
import { gitText } from '../run-git.ts';
import { commonFolder } from './git-folders.ts';
import { isRemote, quietFetch } from './target-place.ts';

/** Where a candidate is, and where it is to go. */
interface Places {
  git: Git;
  /** Baton's own clone, where nothing is ever collected: a candidate needs no ref there. */
  clone: string;
  /** The target's repository, a folder or a URL. */
  repo: string;
}

/**
 * Brings a candidate into a local target's repository, under `refs/baton/landing/<id>`: its objects must be there, and kept, before the
 * intent that names them is written (docs/spec/landing.md#protocol). For a remote nothing is to be done. Repeating it is harmless.
 * @returns the ref, for {@link dropLandingRefs}; null when none was made
 * @throws GIT_FAILED, REF_INVALID
 */
export async function publishCandidate(
  options: Places & { commit: string; landingId: string },
): Promise<string | null> {
  const ref = landingRefOf(options);
  if (ref !== null) await bringCommit(options, ref);
  return ref;
}

/** Fetches a commit of the clone into a local repository, under a ref. @throws GIT_FAILED */
export async function bringCommit(
  { git, clone, repo, commit }: Places & { commit: string },
  ref: string,
): Promise<void> {
  // Version 2 of the protocol gives a commit by its id alone, whatever refs there are.
  const version = ['-c', 'protocol.version=2'];
  // A `git gc --prune=now` at work removes each loose object that no ref led to when it looked, but no pack that came since.
  const isCollected = existsSync(join(await commonFolder(git, repo), 'gc.pid'));
  const asPack = isCollected ? ['-c', 'fetch.unpackLimit=1'] : [];
  const fetch = [...version, ...asPack, 'fetch', ...quietFetch, '--no-show-forced-updates'];
  // The longest prefix wins: no `insteadOf` of the user's leads anywhere but to the clone, and no `protocol.allow` shuts it.
  const env = {
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: `url.${clone}.insteadOf`,
    GIT_CONFIG_VALUE_0: clone,
    GIT_CONFIG_KEY_1: 'protocol.file.allow',
    GIT_CONFIG_VALUE_1: 'always',
  };
  await gitText(git, [...fetch, clone, `+${commit}:${ref}`], { cwd: repo, env });
}

/** The ref that {@link publishCandidate} makes for a landing; null where it makes none. @throws REF_INVALID */
export function landingRefOf(options: { repo: string; landingId: string }): string | null {
  return isRemote(options.repo) ? null : landingRefName(options.landingId);
}

/** All refs of landings in a local repository, with the id that {@link publishCandidate} got. @throws GIT_FAILED */
export async function landingRefs(options: {
  git: Git;
  repo: string;
}): Promise<{ ref: string; landingId: string }[]> {
  const { git, repo } = options;
  if (isRemote(repo)) return [];
  const listed = await gitText(git, ['for-each-ref', '--format=%(refname)', 'refs/baton/landing'], {
    cwd: repo,
  });
  return listed
    .split('\n')
    .filter((ref) => ref !== '')
    .map((ref) => ({ ref, landingId: ref.slice(ref.lastIndexOf('/') + 1) }));
}

/**
 * Refs of landings whose commit is on a local target already: it keeps their objects, so the process that made them (and maybe died before
 * removing them) needs them no more. @throws GIT_FAILED, REF_INVALID
 */
export async function landedRefs(options: { git: Git; repo: string; target: string }): Promise<string[]> {
  const { git, repo, target } = options;
  if (isRemote(repo)) return [];
  const args = ['for-each-ref', '--format=%(refname)', `--merged=${branchRef(target)}`, 'refs/baton/landing'];
  return (await gitText(git, args, { cwd: repo })).split('\n').filter((ref) => ref !== '');
}

/** Removes refs of landings from a local target's repository; harmless for those that are gone. @throws GIT_FAILED, REF_INVALID */
export async function dropLandingRefs(options: {
  git: Git;
  repo: string;
  refs: readonly string[];
}): Promise<void> {
  const { git, repo, refs } = options;
  if (refs.length === 0) return;
  const other = refs.find((ref) => !/^refs\/baton\/landing\/[\w.-]+$/.test(ref));
  if (other !== undefined) {
    throw new BatonError('REF_INVALID', `${other} is not the ref of a landing.`, {
      fix: 'Pass what publishCandidate returned.',
    });
  }
  await gitText(git, ['update-ref', '--no-deref', '--stdin'], {
    cwd: repo,
    stdin: refs.map((ref) => `delete ${ref}\n`).join(''),
    // Deleting locks all packed refs of the user's repository: a git that was killed with us would leave that lock behind.
    finishes: true,
  });
}
