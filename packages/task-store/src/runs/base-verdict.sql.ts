import { z } from 'zod';
import { baseVerdictRow } from '../db/rows.ts';
import type { Statement } from '../db/statement.ts';

/** $1: run, $2: checks' hash, or null for any */
export const baseVerdictOfRun = {
  name: 'base-verdict',
  text: 'SELECT verdict FROM base_verdict WHERE run_id = $1 AND ($2::text IS NULL OR checks_hash = $2)',
  row: baseVerdictRow,
  readonly: true,
} satisfies Statement;

/** $1: run, $2: checks' hash, $3: verdict as JSON; in place of the one before */
export const saveBaseVerdictStatement = {
  name: 'save-base-verdict',
  text: `INSERT INTO base_verdict (run_id, checks_hash, verdict) VALUES ($1, $2, $3::jsonb)
    ON CONFLICT (run_id) DO UPDATE SET checks_hash = excluded.checks_hash, verdict = excluded.verdict`,
  row: z.unknown(),
  readonly: false,
  isIdempotent: true,
} satisfies Statement;
