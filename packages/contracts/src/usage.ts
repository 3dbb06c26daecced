import { z } from 'zod';
import { microUsd } from './units.ts';

/** Tokens and cost of one stretch of work. `inputTokens` excludes cached ones; every figure is a difference, never a running total. */
export const usage = z.strictObject({
  model: z.string().nullable(),
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  cacheReadTokens: z.number().int().nonnegative(),
  cacheWriteTokens: z.number().int().nonnegative(),
  /** Null: not reported; the router prices the tokens. */
  costMicroUsd: microUsd.nullable(),
  estimated: z.boolean(),
});
export type Usage = z.output<typeof usage>;
