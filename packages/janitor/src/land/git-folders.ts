import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve as resolvePath } from 'node:path';
import type { Git } from '@baton/contracts';
import { gitLine } from '../run-git.ts';

/** The git folder that all worktrees of a repository share. Git is asked only where the files don't tell. @throws GIT_FAILED */
export async function commonFolder(git: Git, repo: string): Promise<string> {
  const own = join(repo, '.git');
  const isPlain = ['objects', 'refs'].every((name) => isFolder(join(own, name)));
  if (isPlain && textOf(join(own, 'HEAD')) !== null && textOf(join(own, 'commondir')) === null) return own;
  return resolvePath(repo, await gitLine(git, ['rev-parse', '--git-common-dir'], { cwd: repo }));
}

/**
 * Whether the HEAD files alone prove that no worktree has a branch checked out: each names a commit or another, ordinary branch. False says
 * nothing: links, symbolic branches, other ref stores and worktrees that are being made or removed are for git to judge.
 */
export function surelyElsewhere(common: string, ref: string): boolean {
  const folders = worktreeFolders(common);
  if (!Array.isArray(folders)) return false;
  for (const folder of [common, ...folders]) {
    const head = textOf(join(folder, 'HEAD'));
    if (head !== null && /^[0-9a-f]{40,64}\n$/.test(head)) continue;
    const branch = /^ref: (refs\/heads\/[^\n]+)\n$/.exec(head ?? '')?.[1];
    if (branch === undefined || branch === ref || branch.endsWith('/.invalid')) return false;
    if (isLink(join(common, branch)) || textOf(join(common, branch))?.startsWith('ref:')) return false;
  }
  return true;
}

/**
 * The branch that a ref leads to: itself, or where it is a symbolic one (`git symbolic-ref`) the branch that moves in its place.
 * @throws GIT_FAILED
 */
export async function finalRef(git: Git, { repo, ref }: { repo: string; ref: string }): Promise<string> {
  const file = join(await commonFolder(git, repo), ref);
  const text = textOf(file);
  if (text !== null && /^[0-9a-f]{40,64}\n$/.test(text)) return ref;
  const asked = await git(['symbolic-ref', '--quiet', ref], { cwd: repo });
  const found = asked.exitCode === 0 ? asked.stdout.trim() : ref;
  return found.startsWith('refs/heads/') ? found : ref;
}

/** The git folders of a repository's worktrees: the common one, then those of linked worktrees. @throws what the file system says */
export function gitFolders(common: string): string[] {
  const folders = worktreeFolders(common);
  if (!Array.isArray(folders)) throw folders;
  return [common, ...folders];
}

/** The git folders of linked worktrees; the error of a folder that cannot be read. */
function worktreeFolders(common: string): string[] | NodeJS.ErrnoException {
  const trees = join(common, 'worktrees');
  try {
    return readdirSync(trees).map((name) => join(trees, name));
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    return failure.code === 'ENOENT' ? [] : failure;
  }
}

/** A plain file's text; null for anything else. */
export function textOf(path: string): string | null {
  if (!isFile(path)) return null;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

const isFile = (path: string): boolean => statOf(path)?.isFile() === true;
const isLink = (path: string): boolean => statOf(path)?.isSymbolicLink() === true;
const isFolder = (path: string): boolean => statOf(path)?.isDirectory() === true;

function statOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
