import type { AbortReason, ExecutionTrigger } from '@baton/fsm-core';
import type { Fact } from '../model/fact.ts';
import { endAttempt, moveOn } from './end-attempt.ts';
import type { FactContext } from './attempt-facts.ts';
import type { MovePlan } from './move-plan.ts';
import type { Item } from './situation.ts';

type FactOf<Name extends Fact['fact']> = Extract<Fact, { fact: Name }>;

/** Verification outlives the process: a turn that was compacting at that time waits for its verdict again. */
function backToVerifying(plan: MovePlan, item: Item): void {
  if (plan.taskStatus(item) !== 'DONE') return;
  if (plan.turnStatus(item) === 'COMPACTING') plan.turn(item, 'compact_completed');
  if (plan.turnStatus(item) === 'RUNNING') plan.turn(item, 'verify_requested');
}

/** "work over, kept for more": only the `reuse` policy lets an agent rest (docs/spec/kernel.md#idle-agents). */
export function rested(plan: MovePlan, items: Item[]): void {
  const session = plan.session();
  if (session === null) return plan.refuse('agent', 'nothing', 'rested');
  const busy = items.find((item) => item.task.status === 'IN_PROGRESS');
  if (busy !== undefined) return plan.refuse('task', busy.task.status, 'rested');
  if (session.executionState !== 'idle') return plan.refuse('execution', session.executionState, 'rested');
  plan.agent('idle');
  plan.patchSession({ activity: null, lastSignAt: 'now' });
}

/** "batch over": every attempt has been settled or is DONE; else the process died. */
export function batchOver(plan: MovePlan, items: Item[], fact: FactOf<'batch_over'>): void {
  const session = plan.session();
  if (session === null) return plan.refuse('agent', 'nothing', fact.fact);
  const open = items.find((item) => ['CLAIMED', 'IN_PROGRESS'].includes(item.task.status));
  if (open !== undefined) return plan.refuse('task', open.task.status, fact.fact);
  for (const item of items) backToVerifying(plan, item);
  const wasReady = session.status === 'working' || session.status === 'idle';
  if (session.status !== null) plan.agent('dead');
  if (wasReady) plan.execution('stopped', 'process_exited');
  else if (session.executionState !== 'failed')
    plan.execution('failed', endTrigger(fact.abortReason ?? 'unknown', fact.exitCode));
  plan.patchSession({
    exitCode: fact.exitCode,
    abortReason: fact.abortReason ?? null,
    endedAt: 'now',
    activity: null,
  });
}

/** What caused an execution to end, by how its process ended. */
function endTrigger(abortReason: AbortReason, exitCode: number | null): ExecutionTrigger {
  if (abortReason === 'user_interrupt' || abortReason === 'shutdown_signal') return 'user_terminated';
  // Its provider, or the supervisor that held its pipe, is gone.
  if (abortReason === 'provider_error' || abortReason === 'parent_aborted') return 'disconnected';
  return exitCode === 0 ? 'process_exited' : 'process_crashed';
}

/** Ends of the process that are no failure of the agent, so that the try does not count. */
const drained: AbortReason[] = ['user_interrupt', 'shutdown_signal', 'sibling_aborted', 'parent_aborted'];

/** How a session ended that still held attempts. */
export interface SessionLoss {
  abortReason: AbortReason;
  exitCode: number | null;
  trigger: ExecutionTrigger;
  /** The process is gone by itself; false: only its supervisor fell silent, or it was drained. */
  counts: boolean;
  /** What is known of its end, in words; it stays with the attempts that it held. */
  reason: string;
}

/** The fact "process died" as a loss. */
export function lossOf(fact: FactOf<'process_died'>): SessionLoss {
  return {
    abortReason: fact.abortReason,
    exitCode: fact.exitCode,
    trigger: endTrigger(fact.abortReason, fact.exitCode),
    // An agent that ends itself by SIGTERM, or with 143, would otherwise be started again without end.
    counts: fact.ofItself === true || !drained.includes(fact.abortReason),
    reason: fact.reason,
  };
}

/** No holder renewed the leases: the sweeper reports it. */
export const leaseLapsed: SessionLoss = {
  abortReason: 'unknown',
  exitCode: null,
  trigger: 'reconciliation',
  counts: false,
  reason: 'its holder did not renew its lease',
};

/** "process died or lease lapsed" */
export function sessionLost(
  plan: MovePlan,
  items: Item[],
  { loss, context }: { loss: SessionLoss; context: FactContext },
): void {
  const session = plan.session();
  if (session === null || session.status === 'dead')
    return plan.refuse('agent', session?.status ?? 'nothing', 'process_died');
  for (const item of items) {
    const status = plan.taskStatus(item);
    if (status === 'CLAIMED') loseClaimed(plan, item, { loss, context });
    else if (status === 'IN_PROGRESS') {
      plan.task(item, 'ORPHANED');
      loseHolder(plan, item);
      plan.patchAttempt(item, {
        orphanedAt: 'now',
        orphanCounts: loss.counts,
        abortReason: loss.abortReason,
        summary: loss.reason,
      });
    } else backToVerifying(plan, item);
  }
  endSession(plan, loss);
}

function loseClaimed(
  plan: MovePlan,
  item: Item,
  { loss, context }: { loss: SessionLoss; context: FactContext },
): void {
  // Only the one that was being started can have failed to start; its mates were merely waiting.
  const spawning = loss.counts && plan.turnStatus(item) === 'SPAWNING';
  const failure = spawning ? 'spawn_failed' : 'lease_lost';
  const { counted } = moveOn(plan, item, {
    failure,
    via: 'OPEN',
    now: context.situation.now,
    random: context.random,
  });
  endAttempt(plan, item, {
    outcome: failure,
    counted,
    abortReason: loss.abortReason,
    summary: loss.reason,
  });
  loseHolder(plan, item);
}

/** The fence grows, so that whatever the old holder still says is late. */
function loseHolder(plan: MovePlan, item: Item): void {
  plan.patchTask(item, { fence: item.task.fence + 1 });
  plan.patchAttempt(item, { fence: item.task.fence + 1, workerId: null, leaseExpiresAt: null });
}

function endSession(plan: MovePlan, loss: SessionLoss): void {
  const session = plan.session();
  if (session === null) return;
  if (session.status !== null) plan.agent('dead');
  const clean = loss.trigger === 'process_exited' || loss.trigger === 'user_terminated';
  const begun = ['idle', 'busy', 'suspended'].includes(session.executionState);
  if (session.executionState !== 'failed')
    plan.execution(clean && begun ? 'stopped' : 'failed', loss.trigger);
  plan.patchSession({
    exitCode: loss.exitCode,
    abortReason: loss.abortReason,
    endedAt: 'now',
    activity: null,
  });
}
