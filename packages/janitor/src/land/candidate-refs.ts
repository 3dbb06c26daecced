import { isBranchName, type Git } from '@baton/contracts';
import { candidateRefName } from '../ref-name.ts';
import { gitText } from '../run-git.ts';
import { bringCommit } from './publish-candidate.ts';
import { isRemote } from './target-place.ts';

/** A candidate that a person can look at in their own repository. */
export interface CandidateRef {
  ref: string;
  commit: string;
  /** Task that it is the work of; null: not told. */
  taskId: string | null;
}

/** All candidates that stand in a local repository; none in a remote one. @throws GIT_FAILED */
export async function candidateRefs({ git, repo }: { git: Git; repo: string }): Promise<CandidateRef[]> {
  if (isRemote(repo)) return [];
  const format = '%(refname) %(objectname) %(contents:trailers:key=Task-Id,valueonly,separator=%2C)';
  const text = await gitText(git, ['for-each-ref', `--format=${format}`, 'refs/baton/candidate/'], {
    cwd: repo,
  });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [ref = '', commit = '', taskId = ''] = line.split(' ');
      return { ref, commit, taskId: taskId.split(',').at(-1) || null };
    });
}

/**
 * Gives a candidate a ref in a local repository, so that any git tool shows it: `refs/baton/candidate/<key>`, or
 * `<key>.<run>` where a task of that name in another run waits as well (the task's id in place of a key that no ref can have). Nothing is checked out.
 * @returns the ref; null for a remote repository
 * @throws GIT_FAILED when the repository does not take it, REF_INVALID
 */
export async function standCandidate(options: {
  git: Git;
  /** Baton's own clone, which holds the commit. */
  clone: string;
  repo: string;
  commit: string;
  task: { id: string; key: string };
  /** Slug of its run. */
  run: string;
}): Promise<string | null> {
  const { repo, task, run } = options;
  if (isRemote(repo)) return null;
  const plain = candidateRefName(isBranchName(task.key) ? task.key : task.id);
  const standing = await candidateRefs(options);
  const isTaken = standing.some(({ ref, taskId }) => ref === plain && taskId !== task.id);
  const ref = isTaken ? `${plain}.${run}` : plain;
  await bringCommit(options, ref);
  return ref;
}

/** Removes candidates; one that moved since it was read stays, and so does what is not a candidate. */
export async function dropCandidates(
  { git, repo }: { git: Git; repo: string },
  candidates: readonly CandidateRef[],
): Promise<void> {
  for (const { ref, commit } of candidates) {
    if (!ref.startsWith('refs/baton/candidate/')) continue;
    // Deleting locks all packed refs of the user's repository: a git that was killed with us would leave that lock behind.
    await git(['update-ref', '--no-deref', '-d', ref, commit], { cwd: repo, finishes: true });
  }
}
