import { taskMachine, turnMachine } from '@baton/fsm-core';
import { z } from 'zod';
import type { Statement } from '../db.ts';
import type { Task } from '../types.ts';

/** $1: task; all that an explanation looks at, in one snapshot */
export const explainFacts = {
  name: 'explain-facts',
  text: `SELECT clock_timestamp() AS now, t.id, t.key, t.status, t.settled, t.tries, t.not_before AS "notBefore", t.blocked_on AS "blockedOn", t.cancel_requested AS "cancelRequested",
      t.claimable, t.role, t.labels, t.host, r.slug AS run, r.status AS "runStatus", r.status_reason AS "runReason", b.held AS "budgetHeld",
      b.cap_micro_usd IS NOT NULL AND t.status = 'OPEN' AND (b.held OR coalesce(t.max_cost_micro_usd, 1) > b.cap_micro_usd - b.spent_micro_usd - b.reserved_micro_usd) AS "budgetShort",
      r.max_agents IS NOT NULL AND (SELECT count(*) FROM slot s WHERE s.run_id = r.id) >= r.max_agents AS "slotsFull",
      CASE WHEN t.status = 'OPEN' AND t.files <> '{}' THEN (SELECT u.key FROM unnest(baton_path_ranges(t.repo_id, t.files)) x JOIN path_lock p ON p.range && x
          JOIN attempt o ON o.session_id = p.session_id JOIN task u ON u.id = o.task_id ORDER BY o.place LIMIT 1) END AS "pathOwner",
      coalesce((SELECT jsonb_agg(jsonb_build_object('key', d.key, 'status', d.status, 'settled', d.settled) ORDER BY d.settled DESC, d.created_at)
        FROM task_dependency e JOIN task d ON d.id = e.depends_on_id WHERE e.task_id = t.id AND NOT e.satisfied), '[]') AS "waitsFor",
      coalesce((SELECT jsonb_agg(c.key ORDER BY c.created_at) FROM task c WHERE c.parent_id = t.id AND NOT c.settled), '[]') AS subtasks,
      (SELECT jsonb_build_object('turn', a.turn_status, 'workerId', a.worker_id, 'leaseExpiresAt', a.lease_expires_at, 'orphanedAt', a.orphaned_at, 'number', a.number)
        FROM attempt a WHERE a.task_id = t.id AND a.ended_at IS NULL) AS attempt,
      (SELECT a.outcome FROM attempt a WHERE a.task_id = t.id AND a.ended_at IS NOT NULL ORDER BY a.number DESC LIMIT 1) AS "lastOutcome",
      (SELECT jsonb_build_object('workerId', l.worker_id, 'live', l.lease_expires_at > clock_timestamp(), 'cause', l.wait_cause, 'text', l.wait_text)
        FROM lane l WHERE l.repo_id = t.repo_id AND l.target = r.target) AS lane,
      (SELECT p.id FROM approval p WHERE p.task_id = t.id AND p.status = 'waiting') AS "approvalId",
      coalesce((SELECT jsonb_agg(jsonb_build_object('status', w.status, 'fits', (t.host IS NULL OR w.host = t.host) AND t.labels <@ w.labels AND (w.run_id IS NULL OR w.run_id = t.run_id)))
        FROM worker w WHERE w.heartbeat_at > clock_timestamp() - interval '2 minutes' AND w.status <> 'offline'), '[]') AS workers,
      (SELECT count(*) FROM feed_queue q JOIN lifecycle_event e ON e.id = q.event_id WHERE e.at < clock_timestamp() - interval '30 seconds')::int AS "feedBehind"
    FROM task t JOIN run r ON r.id = t.run_id JOIN budget b ON b.run_id = r.id WHERE t.id = $1`,
  row: z.object({
    now: z.coerce.date(),
    id: z.string(),
    key: z.string(),
    status: z.enum(taskMachine.states),
    settled: z.boolean(),
    tries: z.number(),
    notBefore: z.coerce.date().nullable(),
    blockedOn: z
      .custom<NonNullable<Task['blockedOn']>>((value) => typeof value === 'object' && value !== null)
      .nullable(),
    cancelRequested: z.boolean(),
    claimable: z.boolean(),
    role: z.string(),
    labels: z.array(z.string()),
    host: z.string().nullable(),
    run: z.string(),
    runStatus: z.string(),
    runReason: z.string().nullable(),
    budgetHeld: z.boolean(),
    budgetShort: z.boolean(),
    slotsFull: z.boolean(),
    pathOwner: z.string().nullable(),
    waitsFor: z.array(z.object({ key: z.string(), status: z.string(), settled: z.boolean() })),
    subtasks: z.array(z.string()),
    attempt: z
      .object({
        turn: z.enum(turnMachine.states),
        workerId: z.string().nullable(),
        leaseExpiresAt: z.coerce.date().nullable(),
        orphanedAt: z.coerce.date().nullable(),
        number: z.number(),
      })
      .nullable(),
    lastOutcome: z.string().nullable(),
    lane: z
      .object({
        workerId: z.string().nullable(),
        live: z.boolean().nullable(),
        cause: z.string().nullable(),
        text: z.string().nullable(),
      })
      .nullable(),
    approvalId: z.string().nullable(),
    workers: z.array(z.object({ status: z.string(), fits: z.boolean() })),
    feedBehind: z.number(),
  }),
  readonly: true,
} satisfies Statement;
