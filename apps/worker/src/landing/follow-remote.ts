import { fetchBranch, moveTarget, remoteHead } from '@baton/janitor';
import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { RepoAccess } from '../context/repos.ts';
import { standingTarget } from '../open/standing-target.ts';
import { checkoutWait } from './checkout-wait.ts';
import { tellBehind } from './checkout-wait.ts';
import type { HeldLane } from './land-chain.ts';
import { atHost, unavailable, type RequestPlace } from './request-place.ts';

/** The target holds what the branch of the remote holds, or why nothing can be decided. */
export type Followed = { kind: 'follows'; head: string } | { kind: 'waits' | 'lost' };

/**
 * Brings the target of a run that lands by pull requests up to the branch of the remote: only Baton moves it, so that what was
 * merged there is on the target here, and agents start from it.
 * @throws FORGE_UNAVAILABLE, GIT_FAILED
 */
export async function followRemote(
  ctx: WorkerContext,
  { held, work, repo, place }: { held: HeldLane; work: LandingWork; repo: RepoAccess; place: RequestPlace },
): Promise<Followed> {
  const { run } = work;
  const { user, remote, into } = place;
  for (;;) {
    const standing = await standingTarget(ctx, { run, repo: work.repo, clone: repo.clone, tasks: [] });
    if (!standing.ok) {
      await ctx.store.lanes.noteWait(held.lane, { cause: 'target_moved', text: standing.text });
      return { kind: 'waits' };
    }
    const head = await atHost(remoteHead(user, { remote: remote.name, branch: into }));
    if (head === null)
      throw unavailable(`${remote.name} has no branch ${into}`, {
        fix: `Push it again: \`git push ${remote.name} ${run.target}:refs/heads/${into}\`.`,
      });
    if (head === standing.head) return { kind: 'follows', head };
    if (!(await has(ctx, user.root, head)))
      await atHost(fetchBranch(user, { remote: remote.name, branch: into }));
    await refuseRewritten(ctx, { work, place, from: standing.head, to: head });
    const moved = await moveTarget({
      ...{ git: ctx.git, clone: repo.clone.path, repo: work.repo.location, target: run.target },
      ...{ stateDir: ctx.stateDir, from: standing.head, to: head, lane: held.ref },
      landingId: work.attempt.id,
      mayRewrite: true, // refuseRewritten has looked
    });
    if (moved.kind === 'moved') {
      held.ref = moved.lane;
      await tellBehind(ctx, { lane: held.lane, behind: moved.behind, from: standing.head });
    } else if (moved.kind === 'lane_lost') return { kind: 'lost' };
    else if (moved.kind === 'blocked') {
      await ctx.store.lanes.noteWait(held.lane, checkoutWait(run.target, moved));
      return { kind: 'waits' };
    }
  }
}

async function has({ git }: WorkerContext, cwd: string, commit: string): Promise<boolean> {
  return (await git(['cat-file', '-e', `${commit}^{commit}`], { cwd })).exitCode === 0;
}

/** A history that was rewritten is followed as long as it holds what the run has landed. @throws FORGE_UNAVAILABLE */
async function refuseRewritten(
  ctx: WorkerContext,
  { work, place, from, to }: { work: LandingWork; place: RequestPlace; from: string; to: string },
): Promise<void> {
  const { run } = work;
  const cwd = place.user.root;
  const leads = async (commit: string): Promise<boolean> =>
    (await ctx.git(['merge-base', '--is-ancestor', commit, to], { cwd })).exitCode === 0;
  if (await leads(from)) return;
  const landed =
    (await ctx.store.tasks.landings({ runId: run.id, newest: true }))[0]?.commit ?? run.baseCommit;
  if (landed === null || (await leads(landed))) return;
  const { remote, into } = place;
  throw unavailable(
    `${into} of ${remote.name} was rewritten: ${to.slice(0, 9)} does not hold ${landed.slice(0, 9)}, which the run has landed or begun on`,
    { fix: `Merge ${landed} into it again, or give the run up with \`baton cancel ${run.slug}\`.` },
  );
}
