import type { AgentEvent } from '@baton/contracts';
import type { AbortReason, TransitionReason } from '@baton/fsm-core';
import type { Fact, Holding } from '@baton/task-store';
import type { StopReason } from '../context/stop-reason.ts';
import type { Overspent } from './bookings.ts';

type Finished = Extract<AgentEvent, { type: 'finished' }>;

/** All that is known when an agent is through with one task. */
export interface TaskEnd {
  holding: Holding;
  sessionId: string;
  finished: Finished;
  /** Set when we told it to stop. */
  stopped: StopReason | null;
  /** The reason that the agent then got. */
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
  /** Whether the agent may continue with the next task of the batch. */
  goesOn: boolean;
  /** Set when no attempt of this agent can succeed here for now, with the reason. */
  withdrawn: string | null;
}

/** Decides what to report (docs/spec/kernel.md#coupled-steps, docs/spec/store.md#which-tries-count). Pure. */
export function decideReport(end: TaskEnd): Report {
  return stoppedReport(end) ?? endedReport(end);
}

/** The session ends with this task. */
const over = (fact: Fact | null): Report => ({ fact, goesOn: false, withdrawn: null });

const savedOf = ({ salvageRef }: TaskEnd): { salvageRef?: string } =>
  salvageRef === null ? {} : { salvageRef };

/** The report of an agent that the worker stopped; null: what the agent said at its end decides. */
function stoppedReport(end: TaskEnd): Report | null {
  const { holding, finished, stopped, overspent } = end;
  const saved = savedOf(end);
  // It was through before the stop reached it, and spent no more than it may.
  const inTime = finished.outcome === 'done' && end.range !== null;
  switch (stopped) {
    case null:
      return null;
    case 'lease_lost':
      return over(null);
    case 'cancel':
      return over({ fact: 'cancelled', holding, reason: 'cancelled by request', ...saved });
    case 'shutdown':
      return over({ fact: 'released', holding, reason: 'the worker is shutting down', ...saved });
    case 'max_cost':
      if (inTime && !overspent.maxCost) return null;
      return over(spentOut({ holding, maxCost: overspent.maxCost, saved, ...unstarted(end) }));
    case 'budget':
      if (inTime && !overspent.cap) return null;
      return over({ fact: 'released', holding, reason: 'the budget is spent', because: 'budget', ...saved });
    case 'veto': {
      const why = { transitionReason: 'permission_denied', notBefore: end.parkUntil } as const;
      return over({ fact: 'released', holding, reason: finished.summary, ...why, ...saved });
    }
    case 'abort':
      return over(aborted(end, end.abortReason ?? 'unknown'));
  }
}

/** The report of an agent that ended by itself. */
function endedReport(end: TaskEnd): Report {
  const { holding, finished } = end;
  switch (finished.outcome) {
    case 'done': {
      if (end.range === null) return over(uncommitted(end));
      const done: Fact = { fact: 'done', holding, ...end.range, summary: finished.summary };
      return { fact: done, goesOn: end.stopped === null, withdrawn: null };
    }
    case 'failed':
      return failedAlone(end);
    case 'timeout':
      return over(failed(end, 'timeout', finished.summary));
    case 'spawn_failed':
      return over(failed(end, 'spawn_failed', finished.summary));
    case 'rate_limited':
    case 'provider_down':
      return over(parked(end));
    case 'model_unknown': {
      // The plan names it: each further try would meet the same answer.
      const reason = `MODEL_UNKNOWN: ${finished.summary}`;
      return over({ ...failed(end, 'spawn_failed', reason), denied: reason } as Fact);
    }
    case 'not_logged_in':
      return unavailable(end);
    case 'missing_binary':
      // A program that did start and then says 127 misses something of its own: that is this task's trouble alone.
      return end.spawned ? failedAlone(end) : unavailable(end);
    case 'cancelled':
    case 'crashed':
      return over(died(end));
  }
}

/** The agent failed at this task, and may try the next one. */
const failedAlone = (end: TaskEnd): Report => ({
  fact: failed(end, 'agent_failed', end.finished.summary),
  goesOn: true,
  withdrawn: null,
});

/** No attempt of this agent can succeed here for now. */
function unavailable(end: TaskEnd): Report {
  const reason = end.finished.summary;
  const why = { because: 'agent_unavailable' } as const;
  return {
    fact: { fact: 'released', holding: end.holding, reason, ...why, ...savedOf(end) },
    goesOn: false,
    withdrawn: reason,
  };
}

const died = ({ sessionId, finished }: TaskEnd): Fact => ({
  fact: 'process_died',
  sessionId,
  exitCode: finished.exitCode,
  abortReason: (finished.abortReason ?? 'unknown') as AbortReason,
  reason: finished.summary,
  ofItself: finished.outcome === 'crashed',
});

/** An agent that was not even asked has used nothing up: then the reason is why it was not. */
const unstarted = ({ spawned, finished }: TaskEnd) => (spawned ? {} : { why: finished.summary });

/**
 * All tries of a task have cost what it may: no agent tries again, and spends as much once more, without a person's
 * word.
 */
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
function parked(end: TaskEnd): Fact {
  const { holding, finished, other } = end;
  const resetAt = other === null ? finished.resetAt : null;
  return {
    fact: 'released',
    holding,
    reason: finished.summary,
    because: finished.outcome === 'rate_limited' ? 'parked' : 'provider_down',
    ...(resetAt === null ? {} : { notBefore: new Date(resetAt) }),
    ...(finished.transitionReason === undefined ? {} : { transitionReason: finished.transitionReason }),
    ...savedOf(end),
  };
}

/** A task whose session was ended by the abort chain: its own stuck tool counts, what others did does not. */
function aborted(end: TaskEnd, abortReason: AbortReason): Fact {
  const { holding } = end;
  const saved = savedOf(end);
  if (abortReason === 'bash_error') {
    const reason = 'a tool call took too long, and this agent cannot stop it alone';
    const why = { transitionReason: 'aborted', abortReason } as const;
    return { fact: 'agent_failed', holding, reason, outcome: 'agent_failed', ...why, ...saved };
  }
  const transitionReason = abortReason === 'sibling_aborted' ? 'sibling_aborted' : 'aborted';
  const reason = `its agent was stopped: ${abortReason}`;
  return { fact: 'released', holding, reason, transitionReason, abortReason, ...saved };
}

/** Work that git cannot hold goes back to an agent, with the names of the files. */
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
    ...savedOf(end),
  };
}

/** Why in the kernel's words, where the structure of the agent's end says it. */
function whyOf({ transitionReason, abortReason }: Finished): { transitionReason?: TransitionReason } {
  const why = transitionReason ?? (abortReason === 'permission_denied' ? 'permission_denied' : undefined);
  return why === undefined ? {} : { transitionReason: why };
}
