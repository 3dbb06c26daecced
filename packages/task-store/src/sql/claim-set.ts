import { z } from 'zod';
import type { Statement } from '../db.ts';
import { claimedItem, knownRun } from './claim.ts';

/** The request, a column each. Many claims of one task each, in one statement. */
export const claimSetStatement = {
  name: 'claim-set',
  text: `INSERT INTO baton_claim_set (worker, host, labels, roles, run_id, lease_ms, session_ids, attempt_ids, known_runs)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING answer`,
  row: z.object({
    answer: z.object({
      now: z.coerce.date().optional(),
      expires: z.coerce.date().optional(),
      tasks: z.array(claimedItem),
      runs: z.array(knownRun),
    }),
  }),
  readonly: false,
} satisfies Statement;
