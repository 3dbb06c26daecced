import type { BudgetStage, CompletionBudget } from '../model/trust.ts';
import type { Failure } from './failure.ts';
import type { Lineage } from './situation.ts';

const attemptsPerTry = 5;
const fewestAttempts = 10;
const warnShare = 0.6;
const nudgeShare = 0.8;

/** Ends of an attempt that are charged; the others are the doing of a person, a provider or a worker that shuts down. */
const charged: readonly Failure[] = [
  'rejected',
  'conflict',
  'base_rejected',
  'agent_failed',
  'crashed',
  'timeout',
  'lease_lost',
];

/**
 * How many attempts a lineage may use up before a person decides: the plan's `max_attempts`, else five for each try of its
 * root, at least ten; and each try that a person granted. Bounds what the table of tries leaves open: conflicts, workers
 * that die with the agent, tasks split again and again. Source: docs/spec/agents.md#completion-budget.
 */
export function completionBudget(lineage: Lineage): CompletionBudget {
  const usual = Math.max(fewestAttempts, attemptsPerTry * (1 + lineage.maxRetries));
  const limit = (lineage.maxAttempts ?? usual) + lineage.granted;
  return { spent: lineage.spent, limit, stage: stageOf(lineage.spent / limit) };
}

/** The budget after one more attempt that ended so. */
export function chargeAttempt(lineage: Lineage, failure: Failure): CompletionBudget {
  return completionBudget({ ...lineage, spent: lineage.spent + (charged.includes(failure) ? 1 : 0) });
}

function stageOf(share: number): BudgetStage {
  if (share >= 1) return 'end';
  if (share >= nudgeShare) return 'nudge';
  return share >= warnShare ? 'warn' : 'ok';
}

/** Why nothing more is tried by itself, for people. */
export function budgetEnded({ spent, limit }: CompletionBudget): string {
  return `RETRY_BUDGET_EXCEEDED: ${spent} of ${limit} attempts at this work came to nothing; a person decides what comes next`;
}
