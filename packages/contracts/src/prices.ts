import type { z } from 'zod';
import { audit, type Audit, type DependencyRules } from './audit.ts';
import { parseInput } from './parse.ts';
import { reviewer, routing } from './repo-config.ts';
import { prices, settledDuration } from './units.ts';

/** A reviewer as runs carry it: the limit of time is in milliseconds. */
const settledReviewer = reviewer.extend({ timeout: settledDuration });

/** The routing of a repository as its runs carry it: with the prices that their agents are paid at, and what else is pinned with them. */
export const runRouting = routing.extend({
  prices: prices.optional(),
  reviewer: settledReviewer.optional(),
  audit: audit.optional(),
});
export type RunRouting = z.output<typeof runRouting>;

/** What runs carry of a repository's `routing`, `prices` and `audit`; null: it says nothing of them. */
export function routingOf(config: {
  routing?: z.output<typeof routing> | undefined;
  prices?: z.output<typeof prices> | undefined;
  audit?: Audit | undefined;
}): RunRouting | null {
  const { prices: paid, audit: looked } = config;
  if (paid === undefined && looked === undefined) return config.routing ?? null;
  return {
    ...(config.routing ?? routing.parse({})),
    ...(paid === undefined ? {} : { prices: paid }),
    ...(looked === undefined ? {} : { audit: looked }),
  };
}

/** How dependencies are judged in a run, by what it carries of its repository; null: they are not. @throws CONFIG_INVALID */
export function dependencyRulesOf(carried: unknown): DependencyRules | null {
  const what = 'What the run carries of its repository';
  return parseInput(runRouting, carried ?? {}, { what, code: 'CONFIG_INVALID' }).audit?.dependencies ?? null;
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
