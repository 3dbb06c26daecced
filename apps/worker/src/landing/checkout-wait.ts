import { behindText, hiddenText, useText, type MoveOutcome } from '@baton/janitor';
import type { Lane, LaneWaitCause } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import { shortList } from '../verify/short-list.ts';

/** Why a target cannot be moved: a person's operation, changes to tracked files, or others in the way, which `git status` may not show. */
export function checkoutWait(
  target: string,
  outcome: Extract<MoveOutcome, { kind: 'blocked' }>,
): { cause: LaneWaitCause; text: string } {
  if (outcome.blocked === 'target_in_use') {
    const { what, fix } = useText(target, outcome.use);
    return { cause: 'target_in_use', text: `${what} ${fix}` };
  }
  if (outcome.blocked === 'checkout_hidden') {
    const { what, fix } = hiddenText(target, outcome);
    return { cause: 'checkout_hidden', text: `${what} ${fix}` };
  }
  const { path, files } = outcome;
  if (files.length === 0)
    return { cause: 'checkout_dirty', text: `${target} is checked out with uncommitted changes in ${path}.` };
  return {
    cause: 'checkout_blocked',
    text: `${target} is checked out in ${path}, where the landing would overwrite untracked or ignored files: ${shortList(files)}.`,
  };
}

/** Notes on the lane, and in the log, that a checkout could not be brought to where the target is now. */
export async function tellBehind(
  ctx: WorkerContext,
  { lane, behind = [], from }: { lane: Lane; behind?: readonly string[] | undefined; from: string },
): Promise<void> {
  const [worktree] = behind;
  if (worktree === undefined) return;
  const { what, fix } = behindText(lane.target, { worktree, from });
  ctx.log.warn('a checkout was switched to the target while it moved', { why: `${what} ${fix}` });
  await ctx.store.lanes.noteWait(lane, { cause: 'checkout_dirty', text: `${what} ${fix}` });
}
