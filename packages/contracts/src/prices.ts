import type { z } from 'zod';
import { reviewer, routing } from './repo-config.ts';
import { prices, settledDuration } from './units.ts';

/** A reviewer as runs carry it: the limit of time is in milliseconds. */
const settledReviewer = reviewer.extend({ timeout: settledDuration });

/** The routing of a repository as its runs carry it: with the prices that their agents are paid at. */
export const runRouting = routing.extend({
  prices: prices.optional(),
  reviewer: settledReviewer.optional(),
});
export type RunRouting = z.output<typeof runRouting>;

/** What runs carry of a repository's `routing` and `prices`; null: it says nothing of either. */
export function routingOf(config: {
  routing?: z.output<typeof routing> | undefined;
  prices?: z.output<typeof prices> | undefined;
}): RunRouting | null {
  if (config.prices === undefined) return config.routing ?? null;
  return { ...(config.routing ?? routing.parse({})), prices: config.prices };
}

/**
 * Short names of models that agents take and show, with the id that the price data knows them by. Declared, never guessed: an
 * agent may call a newer model by the same short name, and then reports its own cost.
 */
export const modelAliases: Readonly<Record<string, string>> = {
  sonnet: 'claude-sonnet-5',
  opus: 'claude-opus-5-5',
  haiku: 'claude-haiku-4-5',
  fable: 'claude-fable-5-1',
};
