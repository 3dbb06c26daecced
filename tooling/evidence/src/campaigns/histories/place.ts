import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { git, makeCommits } from './plain-git.ts';
import { baseTree } from './tree.ts';
import type { History } from './history.ts';

/** The folders of one history. */
export interface Place {
  /** Bare repository in which the commits of works are made. */
  author: string;
  /** The git folder of the target. */
  target: string;
  /** The folder that plain git is called in: a working tree, or the bare repository. */
  repo: string;
  /** The working tree that has the target checked out; null: none. */
  checkout: string | null;
  /** Where the run says that the repository is. */
  location: string;
  isRemote: boolean;
  branch: string;
  base: string;
  /** File whose number grows with each run of the gate. */
  asked: string;
  /** File with a line for each gate run that was red for nothing. */
  lied: string;
  remove(): void;
}

/** Makes the repositories of a history below a folder; `template` is an empty bare repository. */
export async function openPlace(
  { place }: Pick<History, 'place'>,
  { folder, template }: { folder: string; template: string },
): Promise<Place> {
  mkdirSync(folder, { recursive: true });
  const author = path.join(folder, 'author.git');
  cpSync(template, author, { recursive: true });
  const [base = ''] = await makeCommits(author, [
    { ref: 'refs/heads/main', parents: [], tree: baseTree, message: 'base\n' },
  ]);
  const isRemote = place === 'remote';
  const repo = path.join(folder, isRemote ? 'remote.git' : 'repo');
  const target = isRemote ? repo : path.join(repo, '.git');
  cpSync(author, target, { recursive: true });
  writeFileSync(path.join(target, 'config'), settings(isRemote));
  const branch = place === 'checked out' ? 'main' : 'trunk';
  if (branch === 'trunk') await git(target, ['update-ref', '--create-reflog', 'refs/heads/trunk', base]);
  if (!isRemote) await git(repo, ['reset', '--quiet', '--hard', base]);
  const side = path.join(folder, 'side');
  if (place === 'linked worktree') await git(repo, ['worktree', 'add', '--quiet', side, 'trunk']);
  const asked = path.join(folder, 'asked');
  writeFileSync(asked, '0\n');
  return {
    ...{ author, target, repo, isRemote, branch, base, asked, lied: path.join(folder, 'lied') },
    checkout: place === 'checked out' ? repo : place === 'linked worktree' ? side : null,
    location: isRemote ? pathToFileURL(repo).href : repo,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  };
}

const settings = (isBare: boolean): string =>
  `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = ${isBare}\n\tlogAllRefUpdates = true\n[user]\n\tname = Ada\n\temail = ada@example.invalid\n`;

/** Puts the author's repository where a worker of this host has its clone of a repository: from there holders read it. */
export function moveAuthor(place: Place, { folder, repoId }: { folder: string; repoId: string }): void {
  const clone = path.join(folder, 'author', 'repos', repoId, 'clone.git');
  mkdirSync(path.dirname(clone), { recursive: true });
  renameSync(place.author, clone);
  place.author = clone;
}

/** The head of the target. */
export const headOf = ({ target, branch }: Place): Promise<string> =>
  git(target, ['rev-parse', '--verify', `refs/heads/${branch}`]);
