import type { AgentEvent } from '@baton/contracts';
import type { AbortReason } from '@baton/fsm-core';
import type { Fact, Holding } from '@baton/task-store';
import type { StopReason } from './context.ts';

type Finished = Extract<AgentEvent, { type: 'finished' }>;

/** All that is known when an agent is through with one task. */
export interface TaskEnd {
  holding: Holding;
  sessionId: string;
  finished: Finished;
  /** Set when we told it to stop. */
  stopped: StopReason | null;
  /** Whether a process was there at all. */
  spawned: boolean;
  range: { baseCommit: string; startCommit: string; headCommit: string } | null;
  salvageRef: string | null;
  /** When to try again if the provider named no time. */
  parkUntil: Date;
}

/** What the worker does after the report. */
export interface Report {
  /** Null: nothing may be said any more, the attempt belongs to another holder. */
  fact: Fact | null;
  /** Whether the agent may go on with the next task of the batch. */
  goesOn: boolean;
  /** Set when no attempt of this agent can succeed here: the run ends with this message. */
  withdrawn: string | null;
}

/** Decides what to report (machines.md §3, store.md §3 "which tries count"). Pure. */
export function decideReport(end: TaskEnd): Report {
  const { holding, finished, salvageRef } = end;
  const saved = salvageRef === null ? {} : { salvageRef };
  const over = { goesOn: false, withdrawn: null };
  if (end.stopped === 'lease_lost') return { fact: null, ...over };
  if (end.stopped === 'cancel')
    return { fact: { fact: 'cancelled', holding, reason: 'cancelled by request', ...saved }, ...over };
  if (end.stopped === 'shutdown')
    return { fact: { fact: 'released', holding, reason: 'the worker is shutting down', ...saved }, ...over };
  if (end.stopped === 'budget')
    return {
      fact: { fact: 'released', holding, reason: 'the budget is spent', because: 'budget', ...saved },
      ...over,
    };
  if (end.stopped === 'veto')
    return {
      fact: { fact: 'released', holding, reason: finished.summary, notBefore: end.parkUntil, ...saved },
      ...over,
    };
  switch (finished.outcome) {
    case 'done':
      return end.range === null
        ? { fact: failed(end, 'agent_failed', 'its work could not be committed'), ...over }
        : {
            fact: { fact: 'done', holding, ...end.range, summary: finished.summary },
            goesOn: true,
            withdrawn: null,
          };
    case 'failed':
      return { fact: failed(end, 'agent_failed', finished.summary), goesOn: true, withdrawn: null };
    case 'timeout':
      return { fact: failed(end, 'timeout', finished.summary), ...over };
    case 'spawn_failed':
      return { fact: failed(end, 'spawn_failed', finished.summary), ...over };
    case 'rate_limited': {
      const notBefore = finished.resetAt === null ? end.parkUntil : new Date(finished.resetAt);
      return {
        fact: {
          fact: 'released',
          holding,
          reason: 'the provider is rate-limited',
          notBefore,
          because: 'parked',
          ...saved,
        },
        ...over,
      };
    }
    case 'not_logged_in':
    case 'missing_binary':
      // A program that did start and then says 127 misses something of its own: that is this task's trouble alone.
      if (finished.outcome === 'missing_binary' && end.spawned)
        return { fact: failed(end, 'agent_failed', finished.summary), goesOn: true, withdrawn: null };
      return {
        fact: { fact: 'released', holding, reason: finished.summary, ...saved },
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

function failed(end: TaskEnd, outcome: 'agent_failed' | 'timeout' | 'spawn_failed', reason: string): Fact {
  return {
    fact: 'agent_failed',
    holding: end.holding,
    reason,
    outcome,
    ...(end.finished.abortReason === null ? {} : { abortReason: end.finished.abortReason as AbortReason }),
    ...(end.salvageRef === null ? {} : { salvageRef: end.salvageRef }),
  };
}
