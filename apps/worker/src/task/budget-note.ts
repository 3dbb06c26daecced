import type { CompletionBudget } from '@baton/task-store';

/**
 * The note in an agent's prompt when its work has used up most of its attempts: warned first, then nudged to settle.
 * Pure.
 */
export function budgetNote({ spent, limit, stage }: CompletionBudget): string | null {
  const left = limit - spent;
  switch (stage) {
    case 'ok':
      return null;
    case 'warn':
      return `${spent} of ${limit} attempts at this work came to nothing. Read why earlier ones were refused before you begin.`;
    case 'nudge':
    case 'end':
      return `${spent} of ${limit} attempts at this work came to nothing; ${left <= 1 ? 'this is the last one' : `${left} are left`}. Make the smallest change that is accepted, and nothing else.`;
  }
}
