import type { AgentEvent } from '@baton/contracts';
import type { AbortReason, TransitionReason } from '@baton/fsm-core';
import type { Fact, Holding } from '@baton/task-store';
import type { StopReason } from '../context/stop-reason.ts';
import type { Overspent } from './meter.ts';

type Finished = Extract<AgentEvent, { type: 'finished' }>;

/** All that is known when an agent is through with one task. */
export interface TaskEnd {
  holding: Holding;
  sessionId: string;
  finished: Finished;
  /** Set when we told it to stop. */
  stopped: StopReason | null;
  /** What the agent was told then. */
  abortReason: AbortReason | null;
  /** Whether a process was there at all. */
  spawned: boolean;
  overspent: Overspent;
  range: { baseCommit: string; startCommit: string; headCommit: string } | null;
  /** Why work that the agent called done could not be committed, in words for the next attempt. */
  uncommitted?: string;
  salvageRef: string | null;
  /** When to try again what a person's hook forbade. */
  parkUntil: Date;
  /** The agent that would be chosen now that this one's provider gives no answer. */
  other: string | null;
}

/** What the worker does after the report. */
export interface Report {
  /** Null: nothing may be said any more, the attempt belongs to another holder. */
  fact: Fact | null;
  /** Whether the agent may go on with the next task of the batch. */
  goesOn: boolean;
  /** Set when no attempt of this agent can succeed here for now, with the reason. */
  withdrawn: string | null;
}

/** Decides what to report (docs/spec/kernel.md#coupled-steps, docs/spec/store.md#which-tries-count). Pure. */
export function decideReport(end: TaskEnd): Report {
  const { holding, finished, salvageRef } = end;
  const saved = salvageRef === null ? {} : { salvageRef };
  const over = { goesOn: false, withdrawn: null };
  if (end.stopped === 'lease_lost') return { fact: null, ...over };
  if (end.stopped === 'cancel')
    return { fact: { fact: 'cancelled', holding, reason: 'cancelled by request', ...saved }, ...over };
  if (end.stopped === 'shutdown')
    return { fact: { fact: 'released', holding, reason: 'the worker is shutting down', ...saved }, ...over };
  // It was through before the stop reached it, and spent no more than it may.
  const inTime = finished.outcome === 'done' && end.range !== null;
  if (end.stopped === 'max_cost' && (!inTime || end.overspent.maxCost))
    return { fact: spentOut({ holding, maxCost: end.overspent.maxCost, saved, ...unstarted(end) }), ...over };
  if (end.stopped === 'budget' && (!inTime || end.overspent.cap))
    return {
      fact: { fact: 'released', holding, reason: 'the budget is spent', because: 'budget', ...saved },
      ...over,
    };
  if (end.stopped === 'veto') {
    const why = { transitionReason: 'permission_denied', notBefore: end.parkUntil } as const;
    return { fact: { fact: 'released', holding, reason: finished.summary, ...why, ...saved }, ...over };
  }
  if (end.stopped === 'abort') return { fact: aborted(end, end.abortReason ?? 'unknown'), ...over };
  switch (finished.outcome) {
    case 'done':
      return end.range === null
        ? { fact: uncommitted(end), ...over }
        : {
            fact: { fact: 'done', holding, ...end.range, summary: finished.summary },
            goesOn: end.stopped === null,
            withdrawn: null,
          };
    case 'failed':
      return { fact: failed(end, 'agent_failed', finished.summary), goesOn: true, withdrawn: null };
    case 'timeout':
      return { fact: failed(end, 'timeout', finished.summary), ...over };
    case 'spawn_failed':
      return { fact: failed(end, 'spawn_failed', finished.summary), ...over };
    case 'rate_limited':
    case 'provider_down':
      return { fact: parked(end), ...over };
    case 'model_unknown': {
      // The plan names it: each further try would meet the same answer.
      const reason = `MODEL_UNKNOWN: ${finished.summary}`;
      return { fact: { ...failed(end, 'spawn_failed', reason), denied: reason } as Fact, ...over };
    }
    case 'not_logged_in':
    case 'missing_binary':
      // A program that did start and then says 127 misses something of its own: that is this task's trouble alone.
      if (finished.outcome === 'missing_binary' && end.spawned)
        return { fact: failed(end, 'agent_failed', finished.summary), goesOn: true, withdrawn: null };
      return {
        fact: {
          fact: 'released',
          holding,
          reason: finished.summary,
          because: 'agent_unavailable',
          ...saved,
        },
        goesOn: false,
        withdrawn: finished.summary,
      };
    case 'cancelled':
    case 'crashed':
      return {
        fact: {
          fact: 'process_died',
          sessionId: end.sessionId,
          exitCode: finished.exitCode,
          abortReason: (finished.abortReason ?? 'unknown') as AbortReason,
          reason: finished.summary,
          ofItself: finished.outcome === 'crashed',
        },
        ...over,
      };
  }
}

/** An agent that was not even asked has used nothing up: then the reason is why it was not. */
const unstarted = ({ spawned, finished }: TaskEnd) => (spawned ? {} : { why: finished.summary });

/** All tries of a task have cost what it may: nobody tries again without a person's word, which would spend as much once more. */
export function spentOut({
  holding,
  maxCost,
  saved = {},
  why,
}: {
  holding: Holding;
  maxCost: boolean;
  saved?: { salvageRef?: string };
  why?: string;
}): Fact {
  const reason = maxCost
    ? 'it cost more than its max_cost allows'
    : (why ?? 'its max_cost is used up before its work was finished');
  return { fact: 'agent_failed', holding, reason, outcome: 'max_cost', denied: reason, ...saved };
}

/** It is the provider's trouble, not the work's: tried again at the reset that it named, else, or by another agent, after a back-off of the store. */
function parked({ holding, finished, salvageRef, other }: TaskEnd): Fact {
  const resetAt = other === null ? finished.resetAt : null;
  return {
    fact: 'released',
    holding,
    reason: finished.summary,
    because: finished.outcome === 'rate_limited' ? 'parked' : 'provider_down',
    ...(resetAt === null ? {} : { notBefore: new Date(resetAt) }),
    ...(finished.transitionReason === undefined ? {} : { transitionReason: finished.transitionReason }),
    ...(salvageRef === null ? {} : { salvageRef }),
  };
}

/** A task whose session was ended by the abort chain: its own stuck tool counts, what others did does not. */
function aborted({ holding, salvageRef }: TaskEnd, abortReason: AbortReason): Fact {
  const saved = salvageRef === null ? {} : { salvageRef };
  if (abortReason === 'bash_error') {
    const reason = 'a tool call took too long, and this agent cannot stop it alone';
    const why = { transitionReason: 'aborted', abortReason } as const;
    return { fact: 'agent_failed', holding, reason, outcome: 'agent_failed', ...why, ...saved };
  }
  const transitionReason = abortReason === 'sibling_aborted' ? 'sibling_aborted' : 'aborted';
  const reason = `its agent was stopped: ${abortReason}`;
  return { fact: 'released', holding, reason, transitionReason, abortReason, ...saved };
}

/** Work that git cannot hold goes back to an agent, which is told the files. */
function uncommitted(end: TaskEnd): Fact {
  const reason = end.uncommitted ?? 'its work could not be committed';
  const told = end.uncommitted === undefined ? {} : { rejections: [end.uncommitted] };
  return { ...failed(end, 'agent_failed', reason), ...told } as Fact;
}

function failed(end: TaskEnd, outcome: 'agent_failed' | 'timeout' | 'spawn_failed', reason: string): Fact {
  return {
    fact: 'agent_failed',
    holding: end.holding,
    reason,
    outcome,
    ...whyOf(end.finished),
    ...(end.finished.abortReason === null ? {} : { abortReason: end.finished.abortReason as AbortReason }),
    ...(end.salvageRef === null ? {} : { salvageRef: end.salvageRef }),
  };
}

/** Why in the kernel's words, where the structure of the agent's end says it. */
function whyOf({ transitionReason, abortReason }: Finished): { transitionReason?: TransitionReason } {
  const why = transitionReason ?? (abortReason === 'permission_denied' ? 'permission_denied' : undefined);
  return why === undefined ? {} : { transitionReason: why };
}
