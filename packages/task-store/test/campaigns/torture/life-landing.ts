import type { Verdict } from '@baton/contracts';
import type { Lane, LandingWork } from '../../../src/index.ts';
import { commitOf, type LifeWorld } from './life-world.ts';
import type { Life } from './life-work.ts';

/** How a landing may be got wrong on purpose, to see that the campaign tells. */
export type LandingFault = 'confirm first' | 'forget intents' | null;

const verdictOn = (tree: string): Verdict => ({
  tree,
  passed: true,
  checks: 'gates',
  results: [],
  reasons: [],
  durationMs: 1,
});

/** Holds the lane, settles what an earlier holder left open, and lands all that waits. True: something was decided. */
export async function landAll(
  life: Life,
  { world, fault }: { world: LifeWorld; fault: LandingFault },
): Promise<boolean> {
  const { store } = life;
  let decided = false;
  for (const { repoId, target } of await store.lanes.open({ host: life.host })) {
    const lane = await store.lanes.acquire({
      repoId,
      target,
      workerId: life.workerId,
      leaseMs: life.leaseMs,
    });
    if (lane === null) continue;
    for (const intent of await store.lanes.openIntents(lane)) {
      const isThere = world.landed().some(({ commit }) => commit === intent.candidateCommit);
      if (isThere && fault !== 'forget intents')
        await store.lanes.confirm(intent.landingId, { actor: life.actor });
      else await store.lanes.abandon(intent.landingId, 'the target had not moved');
    }
    await store.lanes.noteWait(lane, { cause: 'checkout_dirty', text: 'for a moment' });
    await store.lanes.noteWait(lane, { cause: null, text: null });
    for (;;) {
      if (!(await store.lanes.renew(lane, life.leaseMs))) break;
      const work = await store.lanes.takeForLanding(lane, {});
      if (work === null) break;
      await landOne(life, { world, fault, lane, work });
      decided = true;
      await store.runs.settle(work.run.id);
    }
    await store.lanes.release(lane);
  }
  return decided;
}

async function landOne(
  life: Life,
  { world, fault, lane, work }: { world: LifeWorld; fault: LandingFault; lane: Lane; work: LandingWork },
): Promise<void> {
  const { store, tell } = life;
  const { task, attempt } = work;
  const holding = { attemptId: attempt.id, fence: attempt.fence };
  const had = async (outcome: string) =>
    (await store.tasks.attempts(task.id)).some((each) => each.outcome === outcome);
  if (task.key === 'rejected' && !(await had('rejected'))) {
    await tell({ fact: 'rejected', holding, kind: 'rejected', reasons: ['red'] });
    return;
  }
  if (task.key === 'conflict' && !(await had('conflict'))) {
    await tell({ fact: 'rejected', holding, kind: 'conflict', reasons: ['conflicts'] });
    return;
  }
  if (task.approval && !work.approved) {
    const headCommit = attempt.headCommit ?? '';
    await tell({ fact: 'approval_wanted', holding, reason: 'asked for', headCommit, patchId: 'p' });
    return;
  }
  const tree = commitOf('tree', attempt.id);
  const known = await store.lanes.findVerdict({ tree, checksHash: 'h' });
  const verdictId =
    known?.id ??
    (await store.lanes.saveVerdict({ holding, checksHash: 'h', verdict: verdictOn(tree) }).catch(() => null));
  if (verdictId === null) return;
  const candidateCommit = commitOf('candidate', attempt.id, attempt.fence);
  const [landingId] =
    (await store.lanes.writeIntents({
      lane,
      members: [{ holding, verdictId, candidateCommit }],
      fromCommit: commitOf('from'),
      tree,
      holder: { workerId: life.workerId, host: life.host, pid: process.pid, pidStarted: '1', lockFiles: [] },
    })) ?? [];
  if (landingId === undefined) return;
  const confirm = () => store.lanes.confirm(landingId, { actor: life.actor });
  if (fault === 'confirm first') await confirm();
  world.move({ taskId: task.id, commit: candidateCommit });
  await confirm();
}
