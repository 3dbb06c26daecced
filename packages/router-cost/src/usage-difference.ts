import type { Usage } from '@baton/contracts';

const counters = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;

/**
 * What a running total grew by since the one before it. A total that fell began anew (the agent was restarted or
 * resumed): then all of it is new. An agent that changes its model goes on counting, so the growth is the new model's.
 *
 * @param previous the total before it of the *same* stream, null for the first
 * @param next a running total; its cost counts as reported only when the previous total had one too
 */
export function usageDifference(previous: Usage | null, next: Usage): Usage {
  if (previous === null) return next;
  if (counters.some((counter) => next[counter] < previous[counter])) return next;
  if (
    previous.costMicroUsd !== null &&
    next.costMicroUsd !== null &&
    next.costMicroUsd < previous.costMicroUsd
  )
    return next;
  const known = previous.costMicroUsd !== null && next.costMicroUsd !== null;
  return {
    model: next.model,
    inputTokens: next.inputTokens - previous.inputTokens,
    outputTokens: next.outputTokens - previous.outputTokens,
    cacheReadTokens: next.cacheReadTokens - previous.cacheReadTokens,
    cacheWriteTokens: next.cacheWriteTokens - previous.cacheWriteTokens,
    costMicroUsd: known ? (next.costMicroUsd ?? 0) - (previous.costMicroUsd ?? 0) : null,
    estimated: next.estimated,
  };
}
