import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { headPlace } from '../db/rows.ts';

/** $1: worker. See `LanesApi.underWay`. */
export const underWayStatement = {
  name: 'work-under-way',
  text: `WITH lanes AS (SELECT DISTINCT r.repo_id, r.target FROM attempt a JOIN task t ON t.id = a.task_id JOIN run r ON r.id = t.run_id
      WHERE a.worker_id = $1 AND a.ended_at IS NULL AND t.status = 'IN_PROGRESS')
    SELECT a.id AS "attemptId", t.id AS "taskId", a.fence, r.repo_id AS "repoId", p.location, p.host, r.target, a.worker_id AS "workerId",
      coalesce(w.status <> 'offline' AND w.heartbeat_at > clock_timestamp() - interval '30 seconds', false) AS "workerLives",
      CASE WHEN t.status = 'IN_PROGRESS' AND s.workspace IS NOT NULL
        THEN jsonb_build_object('host', s.host, 'workspace', s.workspace) END AS place,
      CASE WHEN t.status <> 'IN_PROGRESS' THEN a.start_commit END AS "startCommit",
      CASE WHEN t.status <> 'IN_PROGRESS' THEN a.head_commit END AS "headCommit", a.head_place AS "headPlace"
    FROM lanes l JOIN run r ON r.repo_id = l.repo_id AND r.target = l.target JOIN repo p ON p.id = r.repo_id
      JOIN task t ON t.run_id = r.id AND t.stage IN ('CLAIMED', 'DONE', 'PENDING_APPROVAL') AND t.status <> 'CLAIMED' AND NOT t.cancel_requested
      JOIN attempt a ON a.task_id = t.id AND a.ended_at IS NULL
      LEFT JOIN agent_session s ON s.id = a.session_id AND s.ended_at IS NULL LEFT JOIN worker w ON w.id = a.worker_id
    ORDER BY a.created_at, a.id LIMIT 64`,
  row: z.object({
    attemptId: z.string(),
    taskId: z.string(),
    fence: z.coerce.number(),
    repoId: z.string(),
    location: z.string(),
    host: z.string().nullable(),
    target: z.string(),
    workerId: z.string().nullable(),
    workerLives: z.boolean(),
    place: z.object({ host: z.string(), workspace: z.string() }).nullable(),
    startCommit: z.string().nullable(),
    headCommit: z.string().nullable(),
    headPlace: headPlace.nullable(),
  }),
  readonly: true,
} satisfies Statement;

/** $1: worker, $2: its notes */
export const setExpectedConflictsStatement = {
  name: 'set-expected-conflicts',
  text: 'UPDATE worker SET expected_conflicts = $2::jsonb WHERE id = $1',
  row: z.unknown(),
  readonly: false,
} satisfies Statement;

/**
 * $1: run or null, $2: task or null. Each note counts for both of its tasks, while its worker lives and both attempts are open: one
 * that has landed or was refused conflicts with nothing any more.
 */
export const expectedConflictsStatement = {
  name: 'expected-conflicts',
  text: `SELECT DISTINCT ON (a.created_at, a.id, u.created_at, u.id) a.task_id AS "taskId", n->>'target' AS target, n->'files' AS files, (n->>'more')::int AS more, n->>'since' AS since,
      CASE WHEN u.id IS NOT NULL THEN jsonb_build_object('taskId', u.id, 'key', u.key, 'run', q.slug, 'sameRun', u.run_id = a.run_id) END AS "with"
    FROM worker w CROSS JOIN LATERAL jsonb_array_elements(w.expected_conflicts) n
      CROSS JOIN LATERAL (VALUES ((n->'attempts'->>0)::uuid, (n->'attempts'->>1)::uuid),
        ((n->'attempts'->>1)::uuid, (n->'attempts'->>0)::uuid)) AS side(own, other)
      JOIN attempt a ON a.id = side.own AND a.ended_at IS NULL
      LEFT JOIN attempt b ON b.id = side.other AND b.ended_at IS NULL LEFT JOIN task u ON u.id = b.task_id LEFT JOIN run q ON q.id = u.run_id
    WHERE w.expected_conflicts <> '[]' AND w.status <> 'offline' AND w.heartbeat_at > clock_timestamp() - interval '2 minutes'
      AND (side.other IS NULL OR b.id IS NOT NULL)
      AND ($1::uuid IS NULL OR a.run_id = $1) AND ($2::uuid IS NULL OR a.task_id = $2)
    ORDER BY a.created_at, a.id, u.created_at NULLS FIRST, u.id, w.id`,
  row: z.object({
    taskId: z.string(),
    target: z.string(),
    files: z.array(z.string()),
    more: z.number(),
    since: z.coerce.date(),
    with: z.object({ taskId: z.string(), key: z.string(), run: z.string(), sameRun: z.boolean() }).nullable(),
  }),
  readonly: true,
} satisfies Statement;
