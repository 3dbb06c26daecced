import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createRepo, type TestRepo } from '@baton/testkit';
import { git } from './run.ts';

/** Files to write; null removes one, `{ link }` makes a symbolic link. */
export type Files = Readonly<Record<string, string | null | { link: string }>>;

/** A folder that goes away with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'janitor-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs git and gives its trimmed output; a failure fails the test. */
export async function sh(cwd: string, ...args: string[]): Promise<string> {
  const result = await git(args, { cwd });
  if (result.exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr}`);
  return result.stdout.trim();
}

export async function write(root: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    await rm(file, { recursive: true, force: true });
    await mkdir(dirname(file), { recursive: true });
    if (typeof content === 'string') await writeFile(file, content);
    else if (content !== null) await symlink(content.link, file);
  }
}

/** Commits files in a checkout and gives the commit. */
export async function commit(root: string, files: Files, message = 'change'): Promise<string> {
  await write(root, files);
  await sh(root, 'add', '--all');
  await sh(root, 'commit', '--quiet', '--allow-empty', '-m', message);
  return sh(root, 'rev-parse', 'HEAD');
}

/** A user's repository on `main` and Baton's bare clone of it. */
export async function userAndClone(files: Files): Promise<UserAndClone> {
  const folder = await temporaryFolder();
  const repo = await createRepo();
  onTestFinished(() => repo[Symbol.asyncDispose]());
  const clone = join(folder, 'clone.git');
  const base = await commit(repo.path, files, 'base');
  await sh(folder, 'clone', '--quiet', '--bare', repo.path, clone);
  return { folder, user: repo.path, repo, clone, base, stateDir: join(folder, 'state') };
}

/** What {@link userAndClone} makes; `stateDir` does not exist yet. */
export interface UserAndClone {
  folder: string;
  user: string;
  repo: TestRepo;
  clone: string;
  base: string;
  stateDir: string;
}

/** Commits on top of `start` made in a worktree of the clone, one for each set of files; gives all commits in order. */
export async function work(clone: string, start: string, ...sets: Files[]): Promise<string[]> {
  const tree = await temporaryFolder();
  await sh(clone, 'worktree', 'add', '--quiet', '--detach', join(tree, 'w'), start);
  const commits: string[] = [];
  for (const files of sets) commits.push(await commit(join(tree, 'w'), files));
  await sh(clone, 'worktree', 'remove', '--force', join(tree, 'w'));
  return commits;
}
