import type { Store } from '../../src/index.ts';
import { by, draft, runDraft } from '../support/builders.ts';
import { base, flow, head, holding, type Flow } from '../support/flow.ts';

/** One story through the public API; together they take every move that the product can take. */
export type Scenario = (store: Store, drive: Flow) => Promise<void>;

const endsWith = (
  claim: { sessionId: string },
  abortReason: 'user_interrupt' | 'oom',
  exitCode: number | null = null,
) =>
  ({
    fact: 'process_died',
    sessionId: claim.sessionId,
    exitCode,
    abortReason,
    reason: 'the process ended',
  }) as const;

/** Claims, launches and readies a batch. */
async function begin(drive: Flow, options: { tasks?: number; runId?: string } = {}) {
  const drafts = Array.from({ length: options.tasks ?? 1 }, (_, n) => draft(`t${n}`));
  const runId = options.runId ?? (await drive.open(drafts)).runId;
  const claim = await drive.claim(runId, options.tasks ?? 1);
  await drive.launch(claim);
  await drive.ready(claim);
  return { runId, claim, mine: holding(claim) };
}

async function claimed(drive: Flow) {
  const { runId } = await drive.open([draft('t0')]);
  const claim = await drive.claim(runId);
  return { runId, claim, mine: holding(claim) };
}

async function orphan(store: Store, drive: Flow) {
  const { runId, claim } = await begin(drive);
  await drive.tell(endsWith(claim, 'oom'));
  const [taken] = await store.claims.takeOrphans({ workerId: 'w1', host: 'here', leaseMs: 60_000, runId });
  if (taken === undefined) throw new Error('no orphan');
  return { attemptId: taken.attempt.id, fence: taken.attempt.fence };
}

/** Splits a task in two and gives what is needed to go on. */
async function split(drive: Flow) {
  const { runId, claim, mine } = await begin(drive);
  await drive.tell({
    fact: 'decomposed',
    holding: mine,
    children: [draft('child', { maxRetries: 0 })],
    reason: 'too big',
  });
  await drive.over(claim);
  return { runId, parentId: claim.tasks[0]?.task.id ?? '' };
}

async function rejectNext(drive: Flow, runId: string) {
  const work = await drive.take(runId);
  await drive.tell({
    fact: 'rejected',
    holding: { attemptId: work.attempt.id, fence: work.attempt.fence },
    kind: 'rejected',
    reasons: ['red'],
  });
}

/** Stories about plans, claims and set-up. */
export const beforeWork: Record<string, Scenario> = {
  async 'a plan is approved in part and rejected in part'(store) {
    const { run, tasks } = await store.runs.create(runDraft([draft('yes'), draft('no')]), by);
    await store.runs.approvePlan(run.id, { ...by, taskIds: [tasks[0]?.id ?? ''] });
    await store.runs.rejectPlan(run.id, by);
    await store.tasks.cancel(tasks[0]?.id ?? '', by);
  },
  async 'set-up fails for a while, then for good'(store, drive) {
    const { runId, mine } = await claimed(drive);
    await drive.tell({ fact: 'setup_failed', holding: mine, reason: 'busy', retry: true, counted: false });
    const other = await claimed(drive);
    await drive.tell({
      fact: 'setup_failed',
      holding: other.mine,
      reason: 'no tool',
      retry: false,
      counted: true,
    });
    await store.runs.settle(runId);
  },
  async 'a claimed task is cancelled, blocked, decomposed'(_, drive) {
    await drive.tell({ fact: 'cancelled', holding: (await claimed(drive)).mine, reason: 'asked to' });
    await drive.tell({
      fact: 'blocked',
      holding: (await claimed(drive)).mine,
      on: { text: 'a licence' },
      reason: 'needs a licence',
    });
    await drive.tell({
      fact: 'decomposed',
      holding: (await claimed(drive)).mine,
      children: [draft('child')],
      reason: 'too big',
    });
  },
  async 'an agent dies before it is ready, or was never launched'(_, drive) {
    const first = await claimed(drive);
    await drive.launch(first.claim);
    await drive.tell(endsWith(first.claim, 'oom', 137));
    await drive.tell(endsWith((await claimed(drive)).claim, 'oom'));
  },
  async 'a trivial task is done before the agent was ready'(_, drive) {
    const { runId, claim } = await claimed(drive);
    await drive.launch(claim);
    await drive.done(claim);
    await drive.over(claim);
    await drive.landAll(runId);
  },
};

/** Stories about an agent at work. */
export const atWork: Record<string, Scenario> = {
  async 'a batch of three is worked through and landed'(_, drive) {
    const { runId, claim } = await begin(drive, { tasks: 3 });
    await drive.done(claim, 0);
    await drive.next(claim, 1);
    await drive.done(claim, 1);
    await drive.next(claim, 2);
    await drive.done(claim, 2);
    await drive.over(claim);
    await drive.landAll(runId);
  },
  async 'an agent is kept between two tasks and after them, then recycled; another dies at rest'(_, drive) {
    const { runId, claim } = await begin(drive, { tasks: 2 });
    await drive.done(claim, 0);
    await drive.tell({ fact: 'rested', sessionId: claim.sessionId });
    await drive.next(claim, 1);
    await drive.done(claim, 1);
    await drive.tell({ fact: 'rested', sessionId: claim.sessionId });
    await drive.over(claim);
    await drive.landAll(runId);
    const other = await begin(drive);
    await drive.done(other.claim);
    await drive.tell({ fact: 'rested', sessionId: other.claim.sessionId });
    await drive.tell(endsWith(other.claim, 'oom', 137));
  },
  async 'tools and compactions come and go, also while the work is verified'(_, drive) {
    const { claim, mine } = await begin(drive);
    for (const fact of ['tool_started', 'tool_ended', 'compaction_started', 'compaction_ended'] as const)
      await drive.tell({ fact, holding: mine });
    await drive.done(claim);
    await drive.tell({ fact: 'compaction_started', holding: mine });
    await drive.tell({ fact: 'compaction_ended', holding: mine });
    await drive.over(claim);
  },
  async 'an agent fails, is released in a tool call, is cancelled in a compaction'(_, drive) {
    const failed = await begin(drive);
    await drive.tell({
      fact: 'agent_failed',
      holding: failed.mine,
      reason: 'exit 1',
      outcome: 'agent_failed',
    });
    const inTool = await begin(drive);
    await drive.tell({ fact: 'tool_started', holding: inTool.mine });
    await drive.tell({ fact: 'released', holding: inTool.mine, reason: 'drained' });
    const compacting = await begin(drive);
    await drive.tell({ fact: 'compaction_started', holding: compacting.mine });
    await drive.tell({ fact: 'cancelled', holding: compacting.mine, reason: 'asked to' });
  },
  async 'a working task is blocked, opened by a person, and cancelled while blocked'(store, drive) {
    const { claim, mine } = await begin(drive);
    await drive.tell({ fact: 'blocked', holding: mine, on: { text: 'a key' }, reason: 'needs a key' });
    await store.tasks.unblock(claim.tasks[0]?.task.id ?? '', by);
    const again = await begin(drive);
    await drive.tell({ fact: 'blocked', holding: again.mine, on: { text: 'a key' }, reason: 'needs a key' });
    await store.tasks.cancel(again.claim.tasks[0]?.task.id ?? '', by);
  },
  async 'a process is interrupted or killed when busy, compacting, and between two tasks'(_, drive) {
    for (const reason of ['user_interrupt', 'oom'] as const) {
      await drive.tell(endsWith((await begin(drive)).claim, reason));
      const compacting = await begin(drive);
      await drive.tell({ fact: 'compaction_started', holding: compacting.mine });
      await drive.tell(endsWith(compacting.claim, reason));
      const between = await begin(drive, { tasks: 2 });
      await drive.done(between.claim, 0);
      await drive.tell(endsWith(between.claim, reason));
    }
  },
};

/** Stories about recovery, subtasks and landing. */
export const afterWork: Record<string, Scenario> = {
  async 'orphans are found finished, lost, and worth another try'(store, drive) {
    await drive.tell({
      fact: 'orphan_settled',
      holding: await orphan(store, drive),
      to: 'DONE',
      reason: 'it had finished',
      startCommit: base,
      headCommit: head,
    });
    await drive.tell({
      fact: 'orphan_settled',
      holding: await orphan(store, drive),
      to: 'FAILED',
      reason: 'nothing is left',
    });
    await drive.tell({
      fact: 'orphan_settled',
      holding: await orphan(store, drive),
      to: 'OPEN',
      reason: 'begin again',
    });
  },
  async 'all subtasks are landed, then their parent'(_, drive) {
    const { runId } = await split(drive);
    await drive.finish(runId);
    await drive.landAll(runId);
  },
  async 'a subtask fails, is retried by a person, and the parent waits again; another parent is cancelled'(
    store,
    drive,
  ) {
    const { runId } = await split(drive);
    await drive.finish(runId);
    await rejectNext(drive, runId);
    await store.tasks.retry((await store.tasks.find('child', { runId })).id, by);
    const { parentId } = await split(drive);
    await store.tasks.cancel(parentId, by);
  },
  async 'work is rejected, retried and landed'(_, drive) {
    const { runId } = await drive.open([draft('t0')]);
    await drive.finish(runId);
    await rejectNext(drive, runId);
    await drive.finish(runId);
    await drive.landAll(runId);
  },
  async 'a person approves one work, refuses another and has not seen a third'(store, drive) {
    for (const approve of [true, false, null]) {
      const { runId } = await drive.open([draft('t0', { approval: true })]);
      await drive.finish(runId);
      const work = await drive.take(runId);
      await drive.tell({
        fact: 'approval_wanted',
        holding: { attemptId: work.attempt.id, fence: work.attempt.fence },
        reason: 'asked for',
        headCommit: head,
        patchId: 'p',
      });
      if (approve === null) continue;
      const [approval] = await store.approvals.list({ runId });
      await store.approvals.decide(approval?.id ?? '', { ...by, approve, nonce: approval?.nonce ?? '' });
    }
  },
};

/** All stories. */
export async function playScenarios(store: Store): Promise<string[]> {
  const all = { ...beforeWork, ...atWork, ...afterWork };
  for (const play of Object.values(all)) await play(store, flow(store));
  return Object.keys(all);
}
