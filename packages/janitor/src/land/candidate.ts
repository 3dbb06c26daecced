import { printable, printableLine, type Git } from '@baton/contracts';
import { listChangedPaths, type ChangedPath } from '../tamper/read-change.ts';
import { mergeArguments, readMerge } from '../read-merge.ts';
import { gitLine, gitText } from '../run-git.ts';

/** What a candidate is made of. All ids are full commit ids that are present in `clone`. */
export interface CandidateOptions {
  git: Git;
  /** Baton's own clone; nothing is checked out. */
  clone: string;
  /** Head of the target at this moment. */
  targetHead: string;
  /** Head that the task's first commit was made on. */
  startCommit: string;
  /** The task's last commit. */
  headCommit: string;
  /** Subject and body of the landed commit. */
  message: string;
  /** E.g. `{ 'Task-Id': '…', Attempt: '2' }`. */
  trailers: Readonly<Record<string, string>>;
  /** Author and committer; default: those of the git port. */
  author?: CommitAuthor | null;
  /** Date of the commit. The same inputs give the same commit id, so a repeated build is harmless. */
  at: Date;
}

/** Author of a commit. */
export interface CommitAuthor {
  name: string;
  email: string;
}

/** A mergeable candidate, a conflict, or nothing to land. */
export type Candidate =
  | { kind: 'clean'; commit: string; tree: string; changes: ChangedPath[]; changedPaths: string[] }
  | { kind: 'conflict'; files: string[] }
  | { kind: 'empty'; commit: string; tree: string; changes: []; changedPaths: [] };

/**
 * The commit that would land: the range start..head alone, merged three-way onto the target's head in the object database. The
 * merge base is forced to be `start` by two synthetic children of it, so that an earlier, rejected task of the same batch stays out
 * (docs/spec/landing.md#protocol); `--merge-base` would need git 2.40.
 * @throws GIT_FAILED
 */
export async function buildCandidate(options: CandidateOptions): Promise<Candidate> {
  const { git, clone, targetHead, startCommit, headCommit } = options;
  const trees = await gitText(
    git,
    ['rev-parse', `${targetHead}^{tree}`, `${startCommit}^{tree}`, `${headCommit}^{tree}`],
    { cwd: clone },
  );
  const [targetTree = '', startTree = '', headTree = ''] = trees.trim().split('\n');
  const empty: Candidate = {
    kind: 'empty',
    commit: targetHead,
    tree: targetTree,
    changes: [],
    changedPaths: [],
  };
  if (headTree === startTree) return empty;

  const merged =
    startTree === targetTree ? { tree: headTree } : await mergeTrees(options, { targetTree, headTree });
  if ('files' in merged) return { kind: 'conflict', files: merged.files };
  if (merged.tree === targetTree) return empty;

  const [commit, changes] = await Promise.all([
    commitTree(options, { tree: merged.tree, parent: targetHead, message: candidateMessage(options) }),
    listChangedPaths({ git, clone, from: targetTree, to: merged.tree }),
  ]);
  return {
    kind: 'clean',
    commit,
    tree: merged.tree,
    changes,
    changedPaths: changes.map(({ path }) => path),
  };
}

/** The same tree on the same parent with another text, e.g. once it is known what it passed. @throws GIT_FAILED */
export async function rewordCandidate(
  options: Pick<CandidateOptions, 'git' | 'clone' | 'message' | 'trailers' | 'author' | 'at'> & {
    tree: string;
    /** Its parent: the head that it lands on. */
    onto: string;
  },
): Promise<string> {
  const { tree, onto: parent } = options;
  return commitTree(options, { tree, parent, message: candidateMessage(options) });
}

async function mergeTrees(
  options: CandidateOptions,
  trees: { targetTree: string; headTree: string },
): Promise<{ tree: string } | { files: string[] }> {
  const { startCommit: parent } = options;
  const [ours, theirs] = await Promise.all([
    commitTree(options, { tree: trees.targetTree, parent, message: 'target' }),
    commitTree(options, { tree: trees.headTree, parent, message: 'task' }),
  ]);
  return mergeCommits(options, [ours, theirs]);
}

/**
 * Merges work onto a tree in the object database, as a candidate is made, and keeps nothing: for a look ahead. The same inputs write
 * the same objects.
 * @param options.env where git writes objects, if not into the clone
 * @returns the merged tree, or the files in conflict, sorted
 * @throws GIT_FAILED
 */
export async function tryMerge(
  options: Pick<CandidateOptions, 'git' | 'clone'> & { env?: Readonly<Record<string, string>> },
  { startCommit: parent, onto, tree }: { startCommit: string; onto: string; tree: string },
): Promise<{ tree: string } | { files: string[] }> {
  const fixed = { ...options, at: new Date(0) };
  const ours = await commitTree(fixed, { tree: onto, parent, message: 'target' });
  const theirs = await commitTree(fixed, { tree, parent, message: 'task' });
  return mergeCommits(options, [ours, theirs]);
}

async function mergeCommits(
  {
    git,
    clone,
    env = {},
  }: Pick<CandidateOptions, 'git' | 'clone'> & { env?: Readonly<Record<string, string>> },
  [ours, theirs]: readonly [string, string],
): Promise<{ tree: string } | { files: string[] }> {
  const args = mergeArguments(ours, theirs);
  const { tree, isClean, files } = readMerge(args, await git(args, { cwd: clone, env }));
  return isClean ? { tree } : { files };
}

async function commitTree(
  options: Pick<CandidateOptions, 'git' | 'clone' | 'author' | 'at'> & {
    env?: Readonly<Record<string, string>>;
  },
  commit: { tree: string; parent: string; message: string },
): Promise<string> {
  const date = `@${Math.floor(options.at.getTime() / 1000)} +0000`;
  return gitLine(options.git, ['commit-tree', commit.tree, '-p', commit.parent, '-F', '-'], {
    cwd: options.clone,
    stdin: commit.message,
    env: { ...options.env, ...authorEnv(options.author), GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
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
function candidateMessage(options: Pick<CandidateOptions, 'message' | 'trailers'>): string {
  const trailers = Object.entries(options.trailers).map(
    ([name, value]) => `${name}: ${printableLine(value)}\n`,
  );
  return `${printable(options.message.trim())}\n${trailers.length > 0 ? '\n' : ''}${trailers.join('')}`;
}
