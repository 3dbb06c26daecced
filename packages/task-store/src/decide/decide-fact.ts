import { taskMachine, type TaskStatus } from '@baton/fsm-core';
import type { Fact } from '../model/fact.ts';
import * as holder from './attempt-facts.ts';
import type { FactContext } from './attempt-facts.ts';
import * as lane from './landing-facts.ts';
import { startMoves, type MovePlan } from './move-plan.ts';
import type { Planned } from './plan-state.ts';
import * as sessions from './session-facts.ts';
import type { Item, Situation } from './situation.ts';

/** Who reports, and the chance that back-offs need. */
export interface Reporter {
  actor: string;
  /** 0 ≤ x < 1. */
  random: number;
}

/** A fact about attempts; the others are about a session as a whole. */
type AttemptFact = Exclude<Fact, { sessionId: string }>;

const held: readonly TaskStatus[] = ['CLAIMED', 'IN_PROGRESS'];

/**
 * Where a fact about an attempt has a row at all: the task's column of docs/spec/kernel.md#coupled-steps. The edge alone
 * would let more through.
 */
const legalIn: Record<AttemptFact['fact'], readonly TaskStatus[]> = {
  setup_failed: ['CLAIMED'],
  launched: taskMachine.states,
  ready: ['CLAIMED'],
  next_task: ['CLAIMED'],
  tool_started: ['IN_PROGRESS'],
  tool_ended: ['IN_PROGRESS'],
  compaction_started: ['IN_PROGRESS', 'DONE'],
  compaction_ended: ['IN_PROGRESS', 'DONE'],
  done: held,
  agent_failed: held,
  released: held,
  cancelled: held,
  blocked: held,
  decomposed: held,
  orphan_settled: ['ORPHANED'],
  rejected: ['DONE'],
  approval_wanted: ['DONE'],
};

/**
 * The table of coupled steps: which machines one fact moves, all or none. Pure and total: the same fact on the same situation
 * always gives the same moves, each validated by the kernel, or the first refusal. Source: docs/spec/kernel.md#coupled-steps.
 */
export function decideFact(fact: Fact, situation: Situation, by: Reporter): Planned {
  const plan = startMoves(situation, {
    actor: by.actor,
    reason: reasonOf(fact),
    abortReason: 'abortReason' in fact ? fact.abortReason : undefined,
    transitionReason: 'transitionReason' in fact ? fact.transitionReason : undefined,
  });
  const context = { situation, random: by.random };
  const { items } = situation;
  if (fact.fact === 'batch_over') sessions.batchOver(plan, items, fact);
  else if (fact.fact === 'rested') sessions.rested(plan, items);
  else if (fact.fact === 'process_died')
    sessions.sessionLost(plan, items, { loss: sessions.lossOf(fact), context });
  else moveAttempts(plan, fact, context);
  return plan.planned;
}

/** The row of a fact about attempts; refused where their states have none. */
function moveAttempts(plan: MovePlan, fact: AttemptFact, context: FactContext): void {
  const { items } = context.situation;
  const item = items[0];
  if (item === undefined) return plan.refuse('task', 'nothing', fact.fact);
  // An attempt that is over has nothing left to move, whatever the state of its task by now.
  if (items.some(({ attempt }) => attempt.turnStatus === 'REAPED'))
    return plan.refuse('turn', 'REAPED', fact.fact);
  const { status } = item.task;
  if (!legalIn[fact.fact].includes(status)) return plan.refuse('task', status, fact.fact);
  if (fact.fact === 'launched') return holder.launched(plan, items, fact);
  moveAttempt(plan, item, { fact, context });
}

function moveAttempt(
  plan: MovePlan,
  item: Item,
  { fact, context }: { fact: Exclude<AttemptFact, { fact: 'launched' }>; context: FactContext },
): void {
  switch (fact.fact) {
    case 'setup_failed':
      return holder.setupFailed(plan, item, { fact, context });
    case 'ready':
      return holder.ready(plan, item, fact);
    case 'next_task':
      return holder.nextTask(plan, item, fact);
    case 'tool_started':
    case 'tool_ended':
      return holder.tool(plan, item, fact.fact);
    case 'compaction_started':
      return holder.compactionStarted(plan, item);
    case 'compaction_ended':
      return holder.compactionEnded(plan, item);
    case 'done':
      return holder.done(plan, item, fact);
    case 'agent_failed':
      return holder.agentFailed(plan, item, { fact, context });
    case 'released':
      return holder.released(plan, item, { fact, context });
    case 'cancelled':
      return holder.cancelled(plan, item, fact);
    case 'blocked':
      return holder.blocked(plan, item, fact);
    case 'decomposed':
      return holder.decomposed(plan, item);
    case 'orphan_settled':
      return lane.orphanSettled(plan, item, { fact, context });
    case 'rejected':
      return lane.rejected(plan, item, { fact, context });
    case 'approval_wanted':
      return lane.approvalWanted(plan, item);
    default:
      fact satisfies never;
  }
}

function reasonOf(fact: Fact): string {
  if ('reason' in fact) return fact.reason;
  if (fact.fact === 'rejected') return fact.reasons.join('; ') || fact.kind;
  return fact.fact.replaceAll('_', ' ');
}
