import type { Git, History } from '@baton/contracts';
import { listChangedPaths, type ChangedPath } from '../tamper/read-change.ts';
import { gitLine } from '../run-git.ts';
import type { CommitAuthor } from './commit-tree.ts';
import { requireFullIds } from './full-ids.ts';
import { commitOnto, keepCommits, type Kept } from './history.ts';
import type { KeptCommits } from './kept-commits.ts';
import { tryMerge } from './try-merge.ts';

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
  /** What lands of the task's own commits; one commit for all of them when left out. */
  history?: History | undefined;
  /** Attributes of the user's own repository (`.git/info/attributes`), absolute; null or absent: none. */
  attributesFile?: string | null | undefined;
  /** Date of the commit. The same inputs give the same commit id, so a repeated build is harmless. */
  at: Date;
}

/** A mergeable candidate, a conflict, or nothing to land. */
export type Candidate =
  | ({
      kind: 'clean';
      commit: string;
      tree: string;
      changes: ChangedPath[];
      changedPaths: string[];
    } & Kept)
  | { kind: 'conflict'; files: string[] }
  | { kind: 'empty'; commit: string; tree: string; changes: []; changedPaths: [] };

/**
 * The commit that would land: the range start..head alone, merged three-way onto the target's head in the object database. The
 * merge base is forced to be `start` by two synthetic children of it, so that an earlier, rejected task of the same batch stays out
 * (docs/spec/landing.md#protocol); `--merge-base` would need git 2.40.
 * @throws GIT_FAILED; INVALID_INPUT for what is no full id of a commit
 */
export async function buildCandidate(options: CandidateOptions): Promise<Candidate> {
  const { git, clone, targetHead, startCommit } = options;
  const [targetTree, startTree, headTree] = await treesOf(options);
  const empty: Candidate = {
    kind: 'empty',
    commit: targetHead,
    tree: targetTree,
    changes: [],
    changedPaths: [],
  };
  if (headTree === startTree) return empty;

  const merged =
    startTree === targetTree
      ? { tree: headTree }
      : await tryMerge(options, { startCommit, onto: targetTree, tree: headTree });
  if ('files' in merged) return { kind: 'conflict', files: merged.files };
  const { tree } = merged;
  if (tree === targetTree) return empty;

  const { history = 'squash', trailers } = options;
  const taskId = trailers['Task-Id'];
  const keeping = await keepCommits({ ...options, history, targetTree, startTree, tree, taskId });
  const [commit, changes] = await Promise.all([
    commitOnto(options, { tree, onto: targetHead, kept: keeping.kept }),
    listChangedPaths({ git, clone, from: targetTree, to: tree }),
  ]);
  const changedPaths = changes.map(({ path }) => path);
  return { kind: 'clean', commit, tree, changes, changedPaths, ...keeping };
}

/** The trees of target, start and head. Of an id that is a tag, the commit is another: it must not become a parent. */
async function treesOf(options: CandidateOptions): Promise<[string, string, string]> {
  const { targetHead, startCommit, headCommit } = options;
  const given = { targetHead, startCommit, headCommit };
  requireFullIds(given);
  const asked = Object.values(given).flatMap((id) => [`${id}^{commit}`, `${id}^{tree}`]);
  const printed = await gitLine(options.git, ['rev-parse', ...asked], { cwd: options.clone });
  const ids = printed.split('\n');
  const found = Object.entries(given).map(([name, id], index) => {
    requireFullIds({ [name]: ids[2 * index] === id ? id : 'a tag' });
    return ids[2 * index + 1] ?? '';
  });
  const [targetTree = '', startTree = '', headTree = ''] = found;
  return [targetTree, startTree, headTree];
}

/** The same tree on the same parent with another text, e.g. once it is known what it passed. @throws GIT_FAILED */
export async function rewordCandidate(
  options: Pick<CandidateOptions, 'git' | 'clone' | 'message' | 'trailers' | 'author' | 'at'> & {
    tree: string;
    /** The head that it lands on. */
    onto: string;
    /** What of the task's own commits lands with it; null or absent: nothing. */
    kept?: KeptCommits | null | undefined;
  },
): Promise<string> {
  const { tree, onto, kept = null } = options;
  return commitOnto(options, { tree, onto, kept });
}
