import { BatonError, type Git } from '@baton/contracts';
import { filesInTheWay } from './files-in-the-way.ts';
import { changesUnseenByGit, hiddenText } from './hidden-changes.ts';

/**
 * Refuses a move of a checkout, before it begins, that git would carry out over what a person has there: ignored files, repositories of
 * their own, changes that settings hide.
 * @param move.act what is to be done: a word that is noun and verb
 * @throws REPO_DIRTY that names them, GIT_FAILED
 */
export async function refuseOverwriting(
  git: Git,
  move: { worktree: string; branch: string; from: string; to: string; act: string },
): Promise<void> {
  const { worktree, branch, act } = move;
  const hidden = await changesUnseenByGit(git, move);
  if (hidden.length > 0) {
    const { what, fix } = hiddenText(branch, { path: worktree, hidden });
    throw new BatonError('REPO_DIRTY', what, { at: worktree, fix });
  }
  const [first, ...others] = await filesInTheWay(git, move);
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  throw new BatonError(
    'REPO_DIRTY',
    `The ${act} would overwrite "${first}"${more}, which git does not track here.`,
    {
      at: first,
      fix: `Move what is untracked, ignored or a repository of its own there out of the way, then ${act} again.`,
    },
  );
}
