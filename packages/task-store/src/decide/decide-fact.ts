import { taskMachine, type TaskStatus } from '@baton/fsm-core';
import type { Fact } from '../model/fact.ts';
import * as holder from './attempt-facts.ts';
import * as lane from './landing-facts.ts';
import { startMoves, type Planned } from './move-plan.ts';
import * as sessions from './session-facts.ts';
import type { Situation } from './situation.ts';

/** Who reports, and the chance that back-offs need. */
export interface Reporter {
  actor: string;
  /** 0 ≤ x < 1. */
  random: number;
}

const held: readonly TaskStatus[] = ['CLAIMED', 'IN_PROGRESS'];

/**
 * Where a fact about an attempt has a row at all: the task's column of docs/spec/kernel.md#coupled-steps. The edge alone
 * would let more through.
 */
const legalIn: Record<Exclude<Fact, { sessionId: string }>['fact'], readonly TaskStatus[]> = {
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
  const item = items[0];
  if (fact.fact === 'batch_over') sessions.batchOver(plan, items, fact);
  else if (fact.fact === 'rested') sessions.rested(plan, items);
  else if (fact.fact === 'process_died')
    sessions.sessionLost(plan, items, { loss: sessions.lossOf(fact), context });
  else if (item === undefined) plan.refuse('task', 'nothing', fact.fact);
  // An attempt that is over has nothing left to move, wherever its task stands by now.
  else if (items.some(({ attempt }) => attempt.turnStatus === 'REAPED'))
    plan.refuse('turn', 'REAPED', fact.fact);
  else if (!legalIn[fact.fact].includes(item.task.status)) plan.refuse('task', item.task.status, fact.fact);
  else {
    switch (fact.fact) {
      case 'setup_failed':
        holder.setupFailed(plan, item, { fact, context });
        break;
      case 'launched':
        holder.launched(plan, items, fact);
        break;
      case 'ready':
        holder.ready(plan, item, fact);
        break;
      case 'next_task':
        holder.nextTask(plan, item, fact);
        break;
      case 'tool_started':
      case 'tool_ended':
        holder.tool(plan, item, fact.fact);
        break;
      case 'compaction_started':
        holder.compactionStarted(plan, item);
        break;
      case 'compaction_ended':
        holder.compactionEnded(plan, item);
        break;
      case 'done':
        holder.done(plan, item, fact);
        break;
      case 'agent_failed':
        holder.agentFailed(plan, item, { fact, context });
        break;
      case 'released':
        holder.released(plan, item, { fact, context });
        break;
      case 'cancelled':
        holder.cancelled(plan, item, fact);
        break;
      case 'blocked':
        holder.blocked(plan, item, fact);
        break;
      case 'decomposed':
        holder.decomposed(plan, item);
        break;
      case 'orphan_settled':
        lane.orphanSettled(plan, item, { fact, context });
        break;
      case 'rejected':
        lane.rejected(plan, item, { fact, context });
        break;
      case 'approval_wanted':
        lane.approvalWanted(plan, item);
        break;
      default:
        fact satisfies never;
    }
  }
  return plan.planned;
}

function reasonOf(fact: Fact): string {
  if ('reason' in fact) return fact.reason;
  if (fact.fact === 'rejected') return fact.reasons.join('; ') || fact.kind;
  return fact.fact.replaceAll('_', ' ');
}
