import { join } from 'node:path';
import { BatonError, type Git } from '@baton/contracts';
import { gitText, resolve } from '../run-git.ts';
import { commonFolder, textOf } from './git-folders.ts';

/** Where a target branch lives. */
export interface TargetPlace {
  git: Git;
  /** The target's repository: an absolute folder, or the URL of a remote. */
  repo: string;
  /** Baton's own clone; for a remote it holds the objects and runs the commands. */
  clone?: string | undefined;
}

/** Options of a fetch that brings objects and nothing else: no FETCH_HEAD, tags, clean-up or submodules. */
export const quietFetch = [
  '--quiet',
  '--no-write-fetch-head',
  '--no-tags',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
  '--no-write-commit-graph',
] as const;

/** Whether a repository is named by a URL (`https://…`, `file://…`, `git@host:path`) and not by a folder. */
export function isRemote(repo: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(repo) || /^[^/\\:]+@[^/\\:]+:/.test(repo);
}

/** The folder whose object database serves the target. @throws INVALID_INPUT for a remote without a clone */
export function objectsOf(place: TargetPlace): string {
  if (!isRemote(place.repo)) return place.repo;
  if (place.clone !== undefined) return place.clone;
  throw new BatonError(
    'INVALID_INPUT',
    'A target in a remote repository needs a clone that holds its objects.',
    {
      at: 'clone',
      fix: 'Pass the folder of a clone.',
    },
  );
}

/** The ids of refs at the target, each null when it does not exist; in the order asked. @throws GIT_FAILED */
export async function readRefs(place: TargetPlace, refs: readonly string[]): Promise<(string | null)[]> {
  const cwd = objectsOf(place);
  if (!isRemote(place.repo)) return Promise.all(refs.map((ref) => localRef(place.git, { repo: cwd, ref })));
  const lines = (await gitText(place.git, ['ls-remote', '--refs', place.repo, ...refs], { cwd })).split('\n');
  const ids = new Map(lines.map((line) => line.split('\t')).map(([id = '', ref = '']) => [ref, id] as const));
  return refs.map((ref) => ids.get(ref) ?? null);
}

/**
 * The id of a ref in a repository of this machine, by its full name; null when it does not exist. Where there is no `refs/heads/x`, git
 * itself takes that for a short name, and finds a branch or tag that is called `refs/heads/x`.
 * @throws GIT_FAILED
 */
export async function localRef(
  git: Git,
  { repo, ref }: { repo: string; ref: string },
): Promise<string | null> {
  const id = await resolve(git, ref, { cwd: repo });
  if (id === null || textOf(join(await commonFolder(git, repo), ref)) === `${id}\n`) return id;
  const isExact = (await git(['show-ref', '--verify', '--quiet', ref], { cwd: repo })).exitCode === 0;
  return isExact ? id : null;
}

/** Makes an object of the target's repository readable: from a remote it is fetched unless it is there. @throws GIT_FAILED */
export async function haveObject(place: TargetPlace, wanted: { ref: string; id: string }): Promise<void> {
  if (!isRemote(place.repo)) return;
  const cwd = objectsOf(place);
  if ((await place.git(['cat-file', '-e', wanted.id], { cwd })).exitCode === 0) return;
  await gitText(place.git, ['fetch', ...quietFetch, place.repo, wanted.ref], { cwd });
}
