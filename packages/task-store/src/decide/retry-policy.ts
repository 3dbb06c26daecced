import type { TaskPatch } from './change.ts';
import { budgetEnded, chargeAttempt } from './completion-budget.ts';
import type { CompletionBudget } from '../model/trust.ts';
import type { TaskState } from './situation.ts';
import type { Failure } from './failure.ts';

/** What the policy looks at besides the task. */
export interface RetryContext {
  now: Date;
  /** 0 ≤ x < 1, for the jitter. */
  random: number;
  /** A known time before which no try makes sense (rate limit, drain). */
  notBefore?: Date | undefined;
}

/** What becomes of the task. */
export interface RetryDecision {
  counted: boolean;
  /** No tries are left: the task stays FAILED until a person grants one. */
  exhausted: boolean;
  patch: TaskPatch;
  /** What a policy says to it, for the record; absent: nothing. */
  note?: PolicyNote;
}

/** What a policy said to a move: in the metadata of its event. */
export interface PolicyNote {
  code?: 'RETRY_BUDGET_EXCEEDED' | 'TRANSITION_DENIED';
  text: string;
  completionBudget?: CompletionBudget;
}

const backOffMs = 30_000;
const backOffCapMs = 300_000;
const freeConflicts = 5;
const setbacksPerTry = 3;

/** 30 s × 2ⁿ with up to a quarter of jitter on top, at most 300 s. Source: docs/spec/store.md#which-tries-count. */
export function backOff(n: number, random: number): number {
  return Math.min(backOffCapMs, Math.round(backOffMs * 2 ** Math.min(n, 10) * (1 + random / 4)));
}

/** Tries that a task may use up: the first, its retries, and those that a person granted. */
export function triesAllowed(task: Pick<TaskState, 'maxRetries' | 'grantedTries'>): number {
  return 1 + task.maxRetries + task.grantedTries;
}

/**
 * Whether and when a task is tried again: the table of tries, then the completion budget of its lineage. Pure.
 * Source: docs/spec/store.md#which-tries-count, docs/spec/kernel.md#guards-and-policies.
 */
export function decideRetry(task: TaskState, failure: Failure, context: RetryContext): RetryDecision {
  const decision = byTable(task, failure, context);
  if (!task.lineage) return decision;
  const budget = chargeAttempt(task.lineage, failure);
  if (budget.spent === task.lineage.spent || budget.stage === 'ok') return decision;
  if (budget.stage !== 'end') {
    const text = `${budget.spent} of ${budget.limit} attempts at this work came to nothing`;
    return { ...decision, note: { text, completionBudget: budget } };
  }
  const note = {
    code: 'RETRY_BUDGET_EXCEEDED',
    text: budgetEnded(budget),
    completionBudget: budget,
  } as const;
  return { ...decision, exhausted: true, note };
}

/** The table of which tries count and when the next one is due. Source: docs/spec/store.md#which-tries-count. */
function byTable(task: TaskState, failure: Failure, context: RetryContext): RetryDecision {
  const later = (delayMs: number) => context.notBefore ?? new Date(context.now.getTime() + delayMs);
  const uncounted = (patch: TaskPatch): RetryDecision => ({ counted: false, exhausted: false, patch });
  const counted = (patch: TaskPatch): RetryDecision => {
    const tries = task.tries + 1;
    return { counted: true, exhausted: tries >= triesAllowed(task), patch: { tries, setbacks: 0, ...patch } };
  };
  switch (failure) {
    case 'rejected':
      return counted({ notBefore: null });
    case 'conflict':
    case 'head_lost': {
      const conflicts = task.conflicts + 1;
      return conflicts <= freeConflicts
        ? uncounted({ conflicts, notBefore: null })
        : counted({ conflicts, notBefore: null });
    }
    case 'base_rejected':
    case 'lease_lost':
      return uncounted({ notBefore: null });
    case 'released':
      return uncounted({ notBefore: context.notBefore ?? null });
    case 'agent_failed':
    case 'crashed':
    case 'timeout':
    case 'setup_failed_counted':
      return counted({ notBefore: later(backOff(task.tries, context.random)) });
    case 'setup_failed':
    case 'rate_limited': {
      const setbacks = task.setbacks + 1;
      const wait = backOff(task.setbacks, context.random);
      // A time that was named is believed once: again and again it would start an agent each time at once.
      const least = new Date(task.setbacks === 0 ? 0 : context.now.getTime() + wait);
      const named = later(wait);
      return uncounted({ setbacks, notBefore: named < least ? least : named });
    }
    case 'spawn_failed': {
      const setbacks = task.setbacks + 1;
      const patch = { notBefore: later(backOff(task.setbacks, context.random)) };
      return setbacks < setbacksPerTry ? uncounted({ setbacks, ...patch }) : counted(patch);
    }
    default:
      return failure satisfies never;
  }
}
