import { z } from 'zod';
import { verdictRow } from '../db/rows.ts';
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
 * $1: lane, $2: epoch, $3: from, $4: tree, $5: holder; and for each member of the train, in its order, $6: id, $7: attempt, $8: fence,
 * $9: verdict, $10: candidate. Fence, epoch, verdict for this very tree, approval and cancel are checked by the statement that writes
 * the intents: all of them or none. A task is looked at again once its lock is had: a cancel comes before, or finds the intent.
 */
export const writeIntentsStatement = {
  name: 'write-intents',
  text: `WITH given AS (SELECT * FROM unnest($6::uuid[], $7::uuid[], $8::bigint[], $9::uuid[], $10::text[]) WITH ORDINALITY
      AS g(id, attempt_id, fence, verdict_id, candidate, place)),
    mine AS (SELECT g.id AS landing_id, g.verdict_id, g.candidate, g.place, a.id, a.task_id, a.run_id, a.head_commit, t.approval
      FROM task t JOIN attempt a ON a.task_id = t.id JOIN given g ON g.attempt_id = a.id AND g.fence = a.fence
      WHERE a.ended_at IS NULL AND a.turn_status IN ('VERIFYING', 'IDLE') AND t.status = 'DONE' AND NOT t.cancel_requested
      ORDER BY t.id FOR NO KEY UPDATE OF t, a),
    allowed AS (SELECT m.*, l.id AS lane_id, l.epoch
      FROM mine m
      JOIN lane l ON l.id = $1::uuid AND l.epoch = $2::bigint AND l.worker_id IS NOT NULL AND l.lease_expires_at > clock_timestamp()
      JOIN run r ON r.id = m.run_id AND r.repo_id = l.repo_id AND r.target = l.target
      JOIN verdict v ON v.id = m.verdict_id AND v.passed AND v.tree = $4::text
      WHERE (NOT m.approval OR EXISTS (SELECT 1 FROM approval p WHERE p.attempt_id = m.id AND p.status = 'approved' AND p.head_commit = m.head_commit))
        AND NOT EXISTS (SELECT 1 FROM landing o WHERE o.lane_id = l.id AND o.confirmed_at IS NULL AND o.abandoned_at IS NULL))
    INSERT INTO landing (id, lane_id, run_id, task_id, attempt_id, verdict_id, epoch, from_commit, candidate_commit, tree, holder, place)
    SELECT w.landing_id, w.lane_id, w.run_id, w.task_id, w.id, w.verdict_id, w.epoch, $3::text, w.candidate, $4::text, $5::jsonb, w.place
    FROM allowed w WHERE (SELECT count(*) FROM allowed) = (SELECT count(*) FROM given) RETURNING id`,
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

const confirmed = `FROM landing WHERE confirmed_at IS NOT NULL AND ($1::uuid IS NULL OR run_id = $1) AND ($2::uuid IS NULL OR task_id = $2)`;
const landingColumns = `SELECT task_id AS "taskId", attempt_id AS "attemptId", candidate_commit AS commit, tree, confirmed_at AS "confirmedAt"`;
const landingRow = z.object({
  taskId: z.string(),
  attemptId: z.string(),
  commit: z.string(),
  tree: z.string(),
  confirmedAt: z.coerce.date(),
});

/** $1: run or null, $2: task or null */
export const confirmedLandings = {
  name: 'confirmed-landings',
  text: `${landingColumns} ${confirmed} ORDER BY confirmed_at, id`,
  row: landingRow,
  readonly: true,
} satisfies Statement;

/** $1: run or null, $2: task or null */
export const newestLanding = {
  name: 'newest-landing',
  text: `${landingColumns} ${confirmed} ORDER BY confirmed_at DESC, id DESC LIMIT 1`,
  row: landingRow,
  readonly: true,
} satisfies Statement;

/** $1: tree, $2: checks' hash; the newest yes */
export const passedVerdict = {
  name: 'passed-verdict',
  text: 'SELECT * FROM verdict WHERE tree = $1 AND checks_hash = $2 AND passed ORDER BY created_at DESC, id DESC LIMIT 1',
  row: verdictRow,
  readonly: true,
} satisfies Statement;

/** $1: task */
export const verdictsOfTask = {
  name: 'verdicts-of-task',
  text: 'SELECT * FROM verdict WHERE task_id = $1 ORDER BY created_at, id',
  row: verdictRow,
  readonly: true,
} satisfies Statement;

/** $1: lane; in the order of their train */
export const openIntentsOfLane = {
  name: 'open-intents',
  text: `SELECT id AS "landingId", lane_id AS "laneId", task_id AS "taskId", attempt_id AS "attemptId", epoch, from_commit AS "fromCommit",
      candidate_commit AS "candidateCommit", tree, holder FROM landing
    WHERE lane_id = $1 AND confirmed_at IS NULL AND abandoned_at IS NULL ORDER BY place`,
  row: z.object({
    landingId: z.string(),
    laneId: z.string(),
    taskId: z.string(),
    attemptId: z.string(),
    epoch: z.coerce.number(),
    fromCommit: z.string(),
    candidateCommit: z.string(),
    tree: z.string(),
    holder: z.object({
      workerId: z.string(),
      host: z.string(),
      pid: z.number(),
      pidStarted: z.string(),
      lockFiles: z.array(z.string()),
    }),
  }),
  readonly: true,
} satisfies Statement;
