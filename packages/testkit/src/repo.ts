import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { runGit } from './git.ts';
import { takeSnapshot, type RepoSnapshot } from './repo-snapshot.ts';
import { tempDir } from './temp-dir.ts';

/** Contents by path relative to the repository's root; `null` deletes; `exec` marks a program. */
export type RepoFiles = Readonly<Record<string, string | Uint8Array | { exec: string } | null>>;

/** How {@link createRepo} makes the repository. */
export interface CreateRepoOptions {
  /** Branch that is checked out; `main` when left out. */
  branch?: string;
  /** Message of the first commit; `first commit` when left out. */
  message?: string;
}

/** A real git repository with a working tree, deleted at the end of the `await using` block. */
export interface TestRepo extends AsyncDisposable {
  /** Absolute path of the working tree. */
  readonly path: string;
  /** Runs git there and returns what it printed, without the last line break. */
  git(...args: string[]): Promise<string>;
  /** Writes files without committing them. */
  write(files: RepoFiles): Promise<void>;
  /** Writes files, commits everything, and returns the commit's id. */
  commit(files: RepoFiles, message: string): Promise<string>;
  /** Everything that Baton must leave as it is. */
  snapshot(): Promise<RepoSnapshot>;
}

/** Makes a repository with an identity and one commit holding `files`. Settings of the machine have no effect in it. */
export async function createRepo(files: RepoFiles = {}, options: CreateRepoOptions = {}): Promise<TestRepo> {
  const folder = await tempDir();
  const git = (...args: string[]) => runGit(folder.path, args);
  const write = (changes: RepoFiles) => writeFiles(folder.path, changes);
  const commit = async (changes: RepoFiles, message: string) => {
    await write(changes);
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '-m', message);
    return git('rev-parse', 'HEAD');
  };
  await git('init', '--quiet', `--initial-branch=${options.branch ?? 'main'}`);
  await git('config', 'user.name', 'Test Person');
  await git('config', 'user.email', 'test@example.invalid');
  await git('config', 'commit.gpgSign', 'false');
  await commit(files, options.message ?? 'first commit');
  return {
    path: folder.path,
    git,
    write,
    commit,
    snapshot: () => takeSnapshot(folder.path),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Writes files below a folder. */
export async function writeFiles(root: string, files: RepoFiles): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(root, name);
    if (content === null) {
      await rm(file, { recursive: true });
      continue;
    }
    await mkdir(path.dirname(file), { recursive: true });
    if (typeof content === 'object' && 'exec' in content) {
      await writeFile(file, content.exec);
      await chmod(file, 0o755);
    } else {
      await writeFile(file, content);
    }
  }
}
