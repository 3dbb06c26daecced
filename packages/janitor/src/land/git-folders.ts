import { lstat, readFile, readdir } from 'node:fs/promises';
import { join, resolve as resolvePath } from 'node:path';
import type { Git } from '@baton/contracts';
import { gitLine } from '../run-git.ts';

/** The git folder that all worktrees of a repository share. Git is asked only where the files don't tell. @throws GIT_FAILED */
export async function commonFolder(git: Git, repo: string): Promise<string> {
  const own = join(repo, '.git');
  const plain = (await isFolder(join(own, 'objects'))) && (await isFolder(join(own, 'refs')));
  if (plain && (await textOf(join(own, 'HEAD'))) !== null && (await textOf(join(own, 'commondir'))) === null)
    return own;
  return resolvePath(repo, await gitLine(git, ['rev-parse', '--git-common-dir'], { cwd: repo }));
}

/**
 * Whether the HEAD files alone prove that no worktree has a branch checked out: each names a commit or another, ordinary branch. False says
 * nothing: links, symbolic branches, other ref stores and worktrees that are being made or removed are for git to judge.
 */
export async function surelyElsewhere(common: string, ref: string): Promise<boolean> {
  const trees = join(common, 'worktrees');
  const names = await readdir(trees).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? [] : null,
  );
  if (names === null) return false;
  for (const folder of [common, ...names.map((name) => join(trees, name))]) {
    const head = await textOf(join(folder, 'HEAD'));
    if (head !== null && /^[0-9a-f]{40,64}\n$/.test(head)) continue;
    const branch = /^ref: (refs\/heads\/[^\n]+)\n$/.exec(head ?? '')?.[1];
    if (branch === undefined || branch === ref || branch.endsWith('/.invalid')) return false;
    if ((await isLink(join(common, branch))) || (await textOf(join(common, branch)))?.startsWith('ref:'))
      return false;
  }
  return true;
}

/**
 * The branch that a ref leads to: itself, or where it is a symbolic one (`git symbolic-ref`) the branch that moves in its place.
 * @throws GIT_FAILED
 */
export async function finalRef(git: Git, { repo, ref }: { repo: string; ref: string }): Promise<string> {
  const file = join(await commonFolder(git, repo), ref);
  const text = await textOf(file);
  if (text !== null && /^[0-9a-f]{40,64}\n$/.test(text)) return ref;
  const asked = await git(['symbolic-ref', '--quiet', ref], { cwd: repo });
  const found = asked.exitCode === 0 ? asked.stdout.trim() : ref;
  return found.startsWith('refs/heads/') ? found : ref;
}

/** The git folders of a repository's worktrees: the common one, then those of linked worktrees. */
export async function gitFolders(common: string): Promise<string[]> {
  const trees = join(common, 'worktrees');
  const names = await readdir(trees).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return [common, ...names.map((name) => join(trees, name))];
}

/** A plain file's text; null for anything else. */
export async function textOf(path: string): Promise<string | null> {
  if (await isLink(path)) return null;
  return readFile(path, 'utf8').catch(() => null);
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
