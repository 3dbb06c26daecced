import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { camelKeys } from '../db/column-names.ts';
import { pullRequestRow } from '../db/pull-request-row.ts';

const laneRow = z.preprocess(
  camelKeys,
  z.object({
    id: z.string(),
    repoId: z.string(),
    target: z.string(),
    epoch: z.coerce.number(),
    workerId: z.string(),
    leaseExpiresAt: z.coerce.date(),
  }),
);
/** Finished work `a` of task `t` that the holder of its lane can do something about now: a pull request is looked at only when that is due. */
export const landable = `t.stage = 'DONE' AND a.ended_at IS NULL AND a.turn_status IN ('VERIFYING', 'IDLE') AND NOT t.cancel_requested
        AND NOT EXISTS (SELECT 1 FROM pull_request q WHERE q.attempt_id = a.id AND q.look_at > clock_timestamp())`;

/** Can a worker (`host`, `worker`: SQL) read the head of attempt `a`, as far as the store knows? */
const readable = (host: string, worker: string): string =>
  `(coalesce(a.head_place->>'at', 'repository') = 'repository' OR a.head_place->>'host' = ${host})
        AND coalesce((a.head_missed->>${worker}::text)::float8 < extract(epoch FROM clock_timestamp()), true)`;

/**
 * Does too much wait to be landed on the target of run `r` for worker `w` to take more of it (both SQL)? What counts: finished work that
 * it could land itself, unless its lane waits for a person, and its own agents there, each of which may add to it. Source:
 * docs/spec/landing.md#back-pressure.
 */
export const behind = (w: string, r: string): string =>
  `(SELECT waits.n > 0 AND waits.n + (SELECT count(DISTINCT a.session_id) FROM attempt a JOIN task t ON t.id = a.task_id JOIN run o ON o.id = t.run_id
        WHERE a.worker_id = ${w}.id AND a.ended_at IS NULL AND t.status IN ('CLAIMED', 'IN_PROGRESS') AND o.repo_id = ${r}.repo_id AND o.target = ${r}.target)
      >= greatest(2 * ${w}.capacity, 8)
    FROM (SELECT count(*) AS n FROM task t JOIN run o ON o.id = t.run_id JOIN attempt a ON a.task_id = t.id
      WHERE ${landable} AND t.repo_id = ${r}.repo_id AND o.target = ${r}.target AND (${w}.run_id IS NULL OR t.run_id = ${w}.run_id)
        AND (t.host IS NULL OR t.host = ${w}.host) AND ${readable(`${w}.host`, `${w}.id`)}
        AND NOT EXISTS (SELECT 1 FROM lane l WHERE l.repo_id = o.repo_id AND l.target = o.target AND l.wait_cause <> 'landing_failed')) waits)`;

/** $1: worker. Runs of which it takes nothing more until some of what is finished has landed. */
export const landingBehindStatement = {
  name: 'landing-behind',
  text: `WITH full_lanes AS (SELECT r.repo_id, r.target FROM worker w
      JOIN (SELECT DISTINCT o.repo_id, o.target FROM task t JOIN run o ON o.id = t.run_id WHERE t.stage = 'DONE') r ON ${behind('w', 'r')} WHERE w.id = $1)
    SELECT r.id FROM full_lanes f JOIN run r ON r.repo_id = f.repo_id AND r.target = f.target
    WHERE r.status NOT IN ('done', 'failed', 'cancelled')`,
  row: z.object({ id: z.string() }),
  readonly: true,
} satisfies Statement;

/** $1: host, $2: run or null, $3: worker or null. Lanes with something to land, or with an intent whose holder may be gone: also of a task to be cancelled. */
export const openLanesStatement = {
  name: 'open-lanes',
  text: `SELECT r.repo_id AS "repoId", r.target FROM task t JOIN attempt a ON a.task_id = t.id JOIN run r ON r.id = t.run_id
    WHERE ${landable} AND (t.host IS NULL OR t.host = $1) AND ($2::uuid IS NULL OR t.run_id = $2)
      AND ($3::text IS NULL OR ${readable('$1', '$3')})
    UNION SELECT r.repo_id, r.target FROM landing i JOIN task t ON t.id = i.task_id JOIN run r ON r.id = i.run_id
    WHERE i.confirmed_at IS NULL AND i.abandoned_at IS NULL AND (t.host IS NULL OR t.host = $1) AND ($2::uuid IS NULL OR i.run_id = $2) ORDER BY 1, 2`,
  row: z.object({ repoId: z.string(), target: z.string() }),
  readonly: true,
} satisfies Statement;

/** $1: fresh id, $2: repo, $3: target, $4: worker, $5: lease in ms. The epoch grows with each holder. */
export const acquireLaneStatement = {
  name: 'acquire-lane',
  text: `INSERT INTO lane AS l (id, repo_id, target, epoch, worker_id, lease_expires_at)
    VALUES ($1, $2, $3, 1, $4, clock_timestamp() + $5::int * interval '1 millisecond')
    ON CONFLICT (repo_id, target) DO UPDATE SET epoch = l.epoch + 1, worker_id = EXCLUDED.worker_id, lease_expires_at = EXCLUDED.lease_expires_at,
      wait_cause = NULL, wait_text = NULL, wait_since = NULL
    WHERE l.worker_id IS NULL OR l.worker_id = EXCLUDED.worker_id OR l.lease_expires_at < clock_timestamp() RETURNING l.*`,
  row: laneRow,
  readonly: false,
} satisfies Statement;

/** $1: lane, $2: epoch, $3: lease in ms; a lapsed lease without a new holder is renewed too */
export const renewLaneStatement = {
  name: 'renew-lane',
  text: `UPDATE lane SET lease_expires_at = clock_timestamp() + $3::int * interval '1 millisecond'
    WHERE id = $1 AND epoch = $2 AND worker_id IS NOT NULL RETURNING id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;

/** $1: lane, $2: epoch */
export const releaseLaneStatement = {
  name: 'release-lane',
  text: 'UPDATE lane SET worker_id = NULL, lease_expires_at = NULL WHERE id = $1 AND epoch = $2',
  row: z.unknown(),
  readonly: false,
} satisfies Statement;

/** $1: lane, $2: epoch, $3: epoch that the target's repository knows */
export const catchUpLaneStatement = {
  name: 'catch-up-lane',
  text: `UPDATE lane SET epoch = $3, worker_id = NULL, lease_expires_at = NULL
    WHERE id = $1 AND epoch = $2 AND $3 > epoch AND worker_id IS NOT NULL AND lease_expires_at > clock_timestamp() RETURNING id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;

/** $1: lane, $2: epoch, $3: cause or null, $4: text or null */
export const noteLaneWaitStatement = {
  name: 'note-lane-wait',
  text: `UPDATE lane SET wait_cause = $3, wait_text = $4, wait_since = CASE WHEN $3::text IS NULL THEN NULL ELSE coalesce(wait_since, now()) END
    WHERE id = $1 AND epoch = $2`,
  row: z.unknown(),
  readonly: false,
} satisfies Statement;

/**
 * $1: lane, $2: epoch, $3: run or null, $4: host of the holder or null, $5: attempts that it has already.
 * The next attempt in landing order whose head the holder can read, under a new fence; ranges of one batch in order.
 */
export const takeForLandingStatement = {
  name: 'take-for-landing',
  text: `WITH held AS (SELECT * FROM lane WHERE id = $1 AND epoch = $2 AND worker_id IS NOT NULL AND lease_expires_at > clock_timestamp()),
    next AS (SELECT a.id, t.id AS task_id, l.worker_id, l.lease_expires_at
      FROM held l JOIN run r ON r.repo_id = l.repo_id AND r.target = l.target JOIN task t ON t.run_id = r.id JOIN attempt a ON a.task_id = t.id
      WHERE ${landable} AND ($3::uuid IS NULL OR t.run_id = $3) AND ($4::text IS NULL OR ${readable('$4', 'l.worker_id')})
        AND (a.worker_id IS NULL OR a.worker_id = l.worker_id OR a.lease_expires_at < clock_timestamp())
        AND a.id <> ALL ($5::uuid[])
        AND NOT EXISTS (SELECT 1 FROM landing i WHERE i.task_id = t.id AND i.confirmed_at IS NULL AND i.abandoned_at IS NULL)
        AND NOT EXISTS (SELECT 1 FROM attempt b JOIN task u ON u.id = b.task_id WHERE b.session_id = a.session_id AND b.place < a.place
              AND b.ended_at IS NULL AND u.status IN ('CLAIMED', 'IN_PROGRESS', 'ORPHANED', 'DONE'))
      ORDER BY a.done_at, a.place, a.id LIMIT 1 FOR UPDATE OF t, a SKIP LOCKED),
    fenced AS (UPDATE task t SET fence = t.fence + 1 FROM next WHERE t.id = next.task_id RETURNING t.id, t.fence)
    UPDATE attempt a SET worker_id = next.worker_id, fence = fenced.fence, lease_expires_at = next.lease_expires_at
    FROM next JOIN fenced ON fenced.id = next.task_id WHERE a.id = next.id RETURNING a.id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;

/** $1: attempt. What came before it in its batch, and a person's word on its head. */
export const landingContext = {
  name: 'landing-context',
  text: `SELECT (SELECT jsonb_build_object('taskId', b.task_id, 'dependedOn', EXISTS (SELECT 1 FROM task_dependency d
          WHERE d.task_id = a.task_id AND d.depends_on_id = b.task_id))
        FROM attempt b WHERE b.session_id = a.session_id AND b.place < a.place AND b.outcome IN ('rejected', 'conflict', 'base_rejected')
        ORDER BY EXISTS (SELECT 1 FROM task_dependency d WHERE d.task_id = a.task_id AND d.depends_on_id = b.task_id) DESC, b.place DESC LIMIT 1) AS "rejectedBefore",
      EXISTS (SELECT 1 FROM approval p WHERE p.attempt_id = a.id AND p.status = 'approved' AND p.head_commit = a.head_commit) AS approved,
      a.head_missed IS NOT NULL AS missed,
      (SELECT to_jsonb(q) FROM pull_request q WHERE q.attempt_id = a.id) AS request,
      ARRAY(SELECT unnest(q.commits) FROM pull_request q WHERE q.task_id = a.task_id) AS pushed,
      ARRAY(SELECT q.number FROM pull_request q WHERE q.task_id = a.task_id AND q.attempt_id <> a.id AND q.state IN ('merged', 'closed')
        AND q.number IS NOT NULL ORDER BY 1) AS "pastRequests",
      (SELECT p.patch_id FROM approval p WHERE p.attempt_id = a.id AND p.status = 'approved' AND p.head_commit = a.head_commit
        ORDER BY p.decided_at DESC, p.id DESC LIMIT 1) AS "approvedPatchId"
    FROM attempt a WHERE a.id = $1`,
  row: z.object({
    rejectedBefore: z.object({ taskId: z.string(), dependedOn: z.boolean() }).nullable(),
    approved: z.boolean(),
    approvedPatchId: z.string().nullable(),
    missed: z.boolean(),
    request: pullRequestRow.nullable(),
    pushed: z.array(z.string()),
    pastRequests: z.array(z.number()),
  }),
  readonly: true,
} satisfies Statement;
