import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: id, $2: tree, $3: checks' hash, $4: verdict as JSON, $5: attempt, $6: fence. Only the holder's verdict is kept. */
export const saveVerdictStatement = {
  name: 'save-verdict',
  text: `INSERT INTO verdict (id, attempt_id, task_id, tree, checks_hash, passed, checks, results, reasons, duration_ms)
    SELECT $1::uuid, a.id, a.task_id, $2::text, $3::text, ($4::jsonb->>'passed')::boolean, $4::jsonb->>'checks', $4::jsonb->'results',
      ARRAY(SELECT jsonb_array_elements_text($4::jsonb->'reasons')), ($4::jsonb->>'durationMs')::float8
    FROM attempt a WHERE a.id = $5::uuid AND a.fence = $6::bigint AND a.ended_at IS NULL RETURNING id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;

/**
 * $1: id, $2: lane, $3: epoch, $4: attempt, $5: fence, $6: verdict, $7: from, $8: candidate, $9: tree, $10: holder.
 * Fence, epoch, verdict for this very tree, approval and cancel are checked by the statement that writes the intent.
 */
export const writeIntentStatement = {
  name: 'write-intent',
  text: `WITH mine AS (SELECT a.id, a.task_id, a.run_id, a.head_commit FROM attempt a WHERE a.id = $4::uuid AND a.fence = $5::bigint AND a.ended_at IS NULL
      AND a.turn_status IN ('VERIFYING', 'IDLE') FOR UPDATE)
    INSERT INTO landing (id, lane_id, run_id, task_id, attempt_id, verdict_id, epoch, from_commit, candidate_commit, tree, holder)
    SELECT $1::uuid, l.id, m.run_id, m.task_id, m.id, v.id, l.epoch, $7::text, $8::text, $9::text, $10::jsonb
    FROM mine m JOIN task t ON t.id = m.task_id AND t.status = 'DONE' AND NOT t.cancel_requested
      JOIN lane l ON l.id = $2::uuid AND l.epoch = $3::bigint AND l.worker_id IS NOT NULL AND l.lease_expires_at > clock_timestamp()
      JOIN run r ON r.id = m.run_id AND r.repo_id = l.repo_id AND r.target = l.target
      JOIN verdict v ON v.id = $6::uuid AND v.passed AND v.tree = $9::text
    WHERE NOT t.approval OR EXISTS (SELECT 1 FROM approval p WHERE p.attempt_id = m.id AND p.status = 'approved' AND p.head_commit = m.head_commit)
    ON CONFLICT DO NOTHING RETURNING id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;

/** $1: landing; with what its confirmation is decided on */
export const landingById = {
  name: 'landing-by-id',
  text: 'SELECT task_id AS "taskId", confirmed_at AS "confirmedAt", abandoned_at AS "abandonedAt" FROM landing WHERE id = $1',
  row: z.object({
    taskId: z.string(),
    confirmedAt: z.coerce.date().nullable(),
    abandonedAt: z.coerce.date().nullable(),
  }),
  readonly: true,
} satisfies Statement;

/** $1: landing, $2: reason */
export const abandonIntentStatement = {
  name: 'abandon-intent',
  text: 'UPDATE landing SET abandoned_at = now(), abandon_reason = $2 WHERE id = $1 AND confirmed_at IS NULL AND abandoned_at IS NULL',
  row: z.unknown(),
  readonly: false,
} satisfies Statement;

/** $1: run or null, $2: task or null */
export const confirmedLandings = {
  name: 'confirmed-landings',
  text: `SELECT task_id AS "taskId", attempt_id AS "attemptId", candidate_commit AS commit, tree, confirmed_at AS "confirmedAt" FROM landing
    WHERE confirmed_at IS NOT NULL AND ($1::uuid IS NULL OR run_id = $1) AND ($2::uuid IS NULL OR task_id = $2) ORDER BY confirmed_at, id`,
  row: z.object({
    taskId: z.string(),
    attemptId: z.string(),
    commit: z.string(),
    tree: z.string(),
    confirmedAt: z.coerce.date(),
  }),
  readonly: true,
} satisfies Statement;
