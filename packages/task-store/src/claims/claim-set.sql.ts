import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { claimedItem, knownRun, money } from './claim.sql.ts';

/** The request, a column each, workers side by side with their sessions. Many claims of one task each, in one statement. */
export const claimSetStatement = {
  name: 'claim-set',
  text: `INSERT INTO baton_claim_set (workers, host, labels, roles, run_id, lease_ms, session_ids, attempt_ids, known_runs)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING answer`,
  row: z.object({
    answer: z.object({
      now: z.coerce.date().optional(),
      expires: z.coerce.date().optional(),
      tasks: z.array(claimedItem),
      runs: z.array(knownRun),
      /** More was ready than what can go in a set. */
      cut: z.boolean(),
      /** By run; null when none of them has a cap. */
      money: z.record(z.string(), money).nullish(),
    }),
  }),
  readonly: false,
} satisfies Statement;
