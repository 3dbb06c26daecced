import { printable, printableLine, type Git } from '@baton/contracts';
import { gitLine } from '../run-git.ts';

/** Author of a commit. */
export interface CommitAuthor {
  name: string;
  email: string;
}

/** Where a commit is made, in whose name and when. */
export interface CommitOptions {
  git: Git;
  clone: string;
  /** Author and committer; default: those of the git port. */
  author?: CommitAuthor | null | undefined;
  at: Date;
  env?: Readonly<Record<string, string>>;
}

/** A commit to be made. */
export interface NewCommit {
  tree: string;
  parents: readonly string[];
  message: string;
  /** Another author than its committer, with git's raw date. */
  by?: (CommitAuthor & { date: string }) | null | undefined;
}

/** Makes a commit of a tree in the object database. The same inputs give the same id. @throws GIT_FAILED */
export async function commitTree(
  { git, clone, author, at, env }: CommitOptions,
  { tree, parents, message, by }: NewCommit,
): Promise<string> {
  const date = `@${Math.floor(at.getTime() / 1000)} +0000`;
  const own = { ...authorEnv(author), GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const other = by
    ? { GIT_AUTHOR_NAME: by.name, GIT_AUTHOR_EMAIL: by.email, GIT_AUTHOR_DATE: `@${by.date}` }
    : {};
  return gitLine(git, ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'], {
    cwd: clone,
    stdin: message,
    env: { ...env, ...own, ...other },
  });
}

/** Author and committer for git's environment. */
export function authorEnv(author: CommitAuthor | null | undefined): Record<string, string> {
  if (!author) return {};
  const [name, email] = [printableLine(author.name), printableLine(author.email)];
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

/** The message of a candidate: printable, and its trailers last, each on one line whatever their values hold. */
export function candidateMessage(options: {
  message: string;
  trailers: Readonly<Record<string, string>>;
}): string {
  const trailers = Object.entries(options.trailers).map(
    ([name, value]) => `${name}: ${printableLine(value)}\n`,
  );
  return `${printable(options.message.trim())}\n${trailers.length > 0 ? '\n' : ''}${trailers.join('')}`;
}
