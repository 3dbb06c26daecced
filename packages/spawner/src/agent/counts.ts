import { z } from 'zod';

/** Tokens of some stretch of work, as Baton counts them. */
export interface Tokens {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
}

export const noTokens: Tokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** More than this in one session is no measurement: US dollars, and tokens of one kind. */
const mostUsd = 1_000_000;
const mostTokens = 1_000_000_000_000;

const said = z.looseObject({
  amount: z.unknown().optional(),
  currency: z.unknown().optional(),
});
const amount = z.number().nonnegative().max(mostUsd);

/**
 * A cost as an agent reports it.
 *
 * @returns integer micro-dollars, why it cannot be counted, or null: the agent reported no cost
 */
export function readCost(value: unknown): { microUsd: number } | { fault: string } | null {
  if (value === undefined || value === null) return null;
  const cost = said.safeParse(value);
  if (!cost.success) return { fault: 'It reported a cost that is not an amount of money.' };
  const { currency = 'USD' } = cost.data;
  if (currency !== null && (typeof currency !== 'string' || currency.toUpperCase() !== 'USD'))
    return { fault: `It reported its cost in ${shown(currency)}, not in US dollars.` };
  const usd = amount.safeParse(cost.data.amount);
  if (!usd.success) return { fault: `It reported an impossible cost: ${shown(cost.data.amount)}.` };
  return { microUsd: Math.round(usd.data * 1_000_000) };
}

const count = z.number().int().nonnegative().max(mostTokens).nullish();
const counts = z.looseObject({
  inputTokens: count,
  outputTokens: count,
  cachedReadTokens: count,
  cachedWriteTokens: count,
});

/**
 * Tokens as an agent reports them; null where it reports none. `incomplete`: some were counted, but it did not say how many went in
 * or came out; what is missing is never taken for none.
 */
export function readTokens(value: unknown): Tokens | 'unreadable' | 'incomplete' | null {
  if (value === undefined || value === null) return null;
  const read = counts.safeParse(value);
  if (!read.success) return 'unreadable';
  const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens } = read.data;
  const tokens = {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    cacheReadTokens: cachedReadTokens ?? 0,
    cacheWriteTokens: cachedWriteTokens ?? 0,
  };
  const isMissing = (inputTokens ?? null) === null || (outputTokens ?? null) === null;
  return isMissing && addTokens(tokens) > 0 ? 'incomplete' : tokens;
}

/** All of them together. */
export function addTokens(tokens: Tokens): number {
  return tokens.inputTokens + tokens.outputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens;
}

function shown(value: unknown): string {
  return String(typeof value === 'object' ? JSON.stringify(value) : value).slice(0, 40);
}
