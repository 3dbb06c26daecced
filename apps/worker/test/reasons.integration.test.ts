import { hostname } from 'node:os';
import { ABORT_REASONS, EXECUTION_TRIGGERS, TRANSITION_REASONS } from '@baton/fsm-core';
import type { Claim, Fact } from '@baton/task-store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decideReport, type TaskEnd } from '../src/task/report.ts';
import { until } from '@baton/testkit';
import { createRig, type Rig } from './helpers/rig.ts';

type Finished = TaskEnd['finished'];

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig[Symbol.asyncDispose]());

const range = { baseCommit: 'a'.repeat(40), startCommit: 'a'.repeat(40), headCommit: 'b'.repeat(40) };

async function tell(fact: Fact): Promise<void> {
  const outcome = await rig.store.claims.record(fact, { actor: 'worker:test' });
  if (!outcome.ok) throw new Error(`${fact.fact}: ${outcome.message}`);
}

/** A task whose agent is at work, or (`ready: false`) was only launched. */
async function atWork({ ready = true, leaseMs = 60_000 } = {}): Promise<{
  claim: Claim;
  holding: TaskEnd['holding'];
}> {
  const { run } = await rig.submit({
    name: 'reasons',
    stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', agent: { command: ['true'] } }] }],
  });
  const capabilities = { host: hostname(), labels: [] };
  const claim = await rig.store.claims.claimBatch({
    workerId: 'w1',
    maxTasks: 1,
    leaseMs,
    capabilities,
    runId: run.id,
  });
  const attempt = claim?.tasks[0]?.attempt;
  if (claim === null || attempt === undefined) throw new Error('nothing to claim');
  const holding = { attemptId: attempt.id, fence: attempt.fence };
  const process = { adapter: 'command', model: null, pid: 1, pidStarted: '1', workspace: '/w' };
  await tell({ fact: 'launched', holdings: [holding], ...process, deadlineAt: null, route: {} });
  const { baseCommit, startCommit } = range;
  if (ready) await tell({ fact: 'ready', holding, baseCommit, startCommit });
  return { claim, holding };
}

/** Reports an end as the worker does, and gives what was recorded of the task and its session. */
async function reported(finished: Partial<Finished>, more: Partial<TaskEnd> = {}) {
  const { claim, holding } = await atWork();
  const { fact } = decideReport({
    holding,
    sessionId: claim.sessionId,
    finished: {
      ...{
        type: 'finished',
        outcome: 'failed',
        summary: 's',
        exitCode: null,
        abortReason: null,
        resetAt: null,
      },
      ...finished,
    },
    ...{
      stopped: null,
      overspent: { maxCost: false, cap: false },
      abortReason: null,
      spawned: true,
      range: null,
      salvageRef: null,
      parkUntil: new Date(0),
      other: null,
    },
    ...more,
  });
  if (fact !== null) await tell(fact);
  const over = { fact: 'batch_over', sessionId: claim.sessionId, exitCode: null } as const;
  const abortReason = more.abortReason ?? finished.abortReason ?? null;
  if (fact?.fact !== 'process_died')
    await tell({ ...over, ...(abortReason === null ? {} : { abortReason }) });
  return recorded(claim);
}

async function recorded(claim: Claim) {
  const taskId = claim.tasks[0]?.task.id ?? '';
  const [moves, executions, agents] = await Promise.all([
    rig.store.tasks.history({ machine: 'task', entityId: taskId }),
    rig.store.tasks.history({ machine: 'execution', entityId: claim.sessionId }),
    rig.store.tasks.history({ machine: 'agent', entityId: claim.sessionId }),
  ]);
  return {
    transitions: moves.flatMap((move) => move.transitionReason ?? []),
    aborts: [...moves, ...agents].flatMap((move) => move.abortReason ?? []),
    triggers: executions.flatMap((move) => move.trigger ?? []),
  };
}

async function died(
  abortReason: 'oom' | 'parent_aborted' | 'user_interrupt',
  exitCode: number | null = null,
) {
  const { claim } = await atWork();
  await tell({ fact: 'process_died', sessionId: claim.sessionId, exitCode, abortReason, reason: 'r' });
  return claim;
}

/** Who brings each transition reason about. */
const transitions: Record<(typeof TRANSITION_REASONS)[number], () => Promise<{ transitions: string[] }>> = {
  completed: () => reported({ outcome: 'done' }, { range }),
  aborted: () => reported({ outcome: 'cancelled' }, { stopped: 'cancel' }),
  retry: () => reported({ outcome: 'failed' }),
  prompt_too_long: () => reported({ transitionReason: 'prompt_too_long', abortReason: 'provider_error' }),
  max_output_tokens: () => reported({ transitionReason: 'max_output_tokens' }),
  max_turns: () => reported({ transitionReason: 'max_turns' }),
  provider_413: () => reported({ transitionReason: 'provider_413', abortReason: 'provider_error' }),
  provider_529: () => reported({ transitionReason: 'provider_529', abortReason: 'provider_error' }),
  compaction_failed: () =>
    reported({ transitionReason: 'compaction_failed', abortReason: 'compact_failure' }),
  permission_denied: () => reported({ exitCode: 126, abortReason: 'permission_denied' }),
  sibling_aborted: () =>
    reported({ outcome: 'cancelled' }, { stopped: 'abort', abortReason: 'sibling_aborted' }),
  async stop_hook_blocked() {
    const { claim, holding } = await atWork();
    await tell({ fact: 'done', holding, ...range, summary: 's' });
    const attempt = (await rig.store.tasks.attempts(claim.tasks[0]?.task.id ?? '')).at(-1);
    const held = { attemptId: holding.attemptId, fence: attempt?.fence ?? 0 };
    const why = { kind: 'rejected', transitionReason: 'stop_hook_blocked' } as const;
    await tell({ fact: 'rejected', holding: held, ...why, reasons: ['a plugin said no'] });
    return recorded(claim);
  },
  async orphan_recovered() {
    const claim = await died('oom', 137);
    const options = { workerId: 'w1', host: hostname(), leaseMs: 0, runId: claim.run.id };
    const [orphan] = await rig.store.claims.takeOrphans(options);
    const attempt = orphan?.attempt;
    const holding = { attemptId: attempt?.id ?? '', fence: attempt?.fence ?? 0 };
    await tell({ fact: 'orphan_settled', holding, to: 'OPEN', reason: 'r' });
    return recorded(claim);
  },
};

/** Who brings each abort reason about. */
const aborts: Record<(typeof ABORT_REASONS)[number], () => Promise<{ aborts: string[] }>> = {
  user_interrupt: () => reported({ outcome: 'cancelled', abortReason: 'user_interrupt' }),
  shutdown_signal: () => reported({ outcome: 'crashed', abortReason: 'shutdown_signal', exitCode: 143 }),
  timeout: () => reported({ outcome: 'timeout', abortReason: 'timeout' }),
  oom: () => reported({ outcome: 'crashed', abortReason: 'oom', exitCode: 137 }),
  permission_denied: () => reported({ exitCode: 126, abortReason: 'permission_denied' }),
  provider_error: () => reported({ abortReason: 'provider_error' }),
  bash_error: () => reported({ outcome: 'cancelled' }, { stopped: 'abort', abortReason: 'bash_error' }),
  sibling_aborted: () =>
    reported({ outcome: 'cancelled' }, { stopped: 'abort', abortReason: 'sibling_aborted' }),
  parent_aborted: async () => recorded(await died('parent_aborted')),
  compact_failure: () => reported({ transitionReason: 'compaction_failed', abortReason: 'compact_failure' }),
  unknown: () => reported({ outcome: 'crashed', abortReason: 'unknown', exitCode: 1 }),
};

async function launchedThen(fact: (claim: Claim) => Fact) {
  const { claim } = await atWork({ ready: false });
  await tell(fact(claim));
  return recorded(claim);
}

/** Who brings each trigger about; nobody restarts a session. */
const triggers: Record<
  Exclude<(typeof EXECUTION_TRIGGERS)[number], 'restart'>,
  () => Promise<{ triggers: string[] }>
> = {
  spawn: () => reported({}),
  connected: () => reported({}),
  prompt_received: () => reported({}),
  result_received: () => reported({ outcome: 'done' }, { range }),
  process_exited: () => reported({ outcome: 'done' }, { range }),
  disconnected: async () => recorded(await died('parent_aborted')),
  user_terminated: async () => recorded(await died('user_interrupt')),
  process_crashed: () =>
    launchedThen(({ sessionId }) => ({
      fact: 'process_died',
      sessionId,
      exitCode: 137,
      abortReason: 'oom',
      reason: 'r',
    })),
  async context_cleared() {
    const { claim, holding } = await atWork();
    await tell({ fact: 'compaction_started', holding });
    return recorded(claim);
  },
  async reconciliation() {
    const { claim } = await atWork({ leaseMs: 1 });
    await until(
      async () => {
        await rig.store.claims.sweep({ actor: 'sweeper', leaseMs: 1_000 });
        return (await recorded(claim)).triggers.includes('reconciliation') || undefined;
      },
      { what: 'the lease lapsed' },
    );
    return recorded(claim);
  },
};

describe('every reason has somebody who brings it about', () => {
  test.each(TRANSITION_REASONS)('a task moves by %s', async (reason) => {
    expect((await transitions[reason]()).transitions).toContain(reason);
  });
  test.each(ABORT_REASONS)('an agent ends by %s', async (reason) => {
    expect((await aborts[reason]()).aborts).toContain(reason);
  });
  test.each(EXECUTION_TRIGGERS.filter((trigger) => trigger !== 'restart'))(
    'an execution moves by %s',
    async (trigger) => {
      expect((await triggers[trigger]()).triggers).toContain(trigger);
    },
  );
});
