import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { claimedItem, knownRun, money } from './claim.sql.ts';

/** The request, a field each, workers side by side with their sessions. Many claims of one task each, in one statement. */
export const claimSetStatement = {
  name: 'claim-set',
  text: 'SELECT baton_claim_many(ROW($1, $2, $3, $4, $5, $6, $7, $8, $9)::claim_set_request) AS answer',
  row: z.object({
    /** Null: one of the workers drains. */
    answer: z
      .object({
        now: z.coerce.date().optional(),
        expires: z.coerce.date().optional(),
        tasks: z.array(claimedItem),
        runs: z.array(knownRun),
        /** More was ready than what can go in a set. */
        cut: z.boolean(),
        /** By run; null when none of them has a cap. */
        money: z.record(z.string(), money).nullish(),
      })
      .nullable(),
  }),
  readonly: false,
} satisfies Statement;
