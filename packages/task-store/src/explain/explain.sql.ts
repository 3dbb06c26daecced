import { taskMachine, turnMachine } from '@baton/fsm-core';
import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { headPlace } from '../db/rows.ts';
import type { Task } from '../model/task.ts';
import type { KnownProcesses } from '../model/explanation.ts';
import { behind } from '../landing/lanes.sql.ts';

/** What an explanation is drawn from. */
export type ExplainFacts = z.output<typeof explainFacts.row> & { known: KnownProcesses };

/** $1: task, $2: workers whose process is known to be there; all that an explanation looks at, in one snapshot */
export const explainFacts = {
  name: 'explain-facts',
  text: `SELECT clock_timestamp() AS now, t.id, t.key, t.status, t.settled, t.tries, t.not_before AS "notBefore", t.blocked_on AS "blockedOn", t.cancel_requested AS "cancelRequested",
      t.claimable, t.role, t.labels, t.host, r.slug AS run, r.standing, (SELECT p.location FROM repo p WHERE p.id = r.repo_id) AS location, r.status AS "runStatus", r.status_reason AS "runReason", b.held AS "budgetHeld",
      b.cap_micro_usd IS NOT NULL AND t.status = 'OPEN' AND (b.held OR greatest(coalesce(baton_cost_left(t), 1), 1)
        > b.cap_micro_usd - b.spent_micro_usd - b.reserved_micro_usd) AS "budgetShort", b.cap_micro_usd AS "budgetCap", b.spent_micro_usd AS "budgetSpent", b.reserved_micro_usd > 0 AS "budgetReserved",
      r.max_agents IS NOT NULL AND (SELECT count(*) FROM slot s WHERE s.run_id = r.id) >= r.max_agents AS "slotsFull",
      CASE WHEN t.status = 'OPEN' AND t.files <> '{}' THEN (SELECT CASE WHEN u.run_id = t.run_id THEN u.key ELSE o2.slug || '/' || u.key END
          FROM unnest(baton_path_ranges(t.run_id, t.files)) x JOIN path_lock p ON p.range && x
          JOIN attempt o ON o.session_id = p.session_id JOIN task u ON u.id = o.task_id JOIN run o2 ON o2.id = u.run_id
          ORDER BY o.ended_at IS NOT NULL, o.place LIMIT 1) END AS "pathOwner",
      CASE WHEN t.status = 'OPEN' AND t.files <> '{}' THEN (SELECT CASE WHEN w.run_id = t.run_id THEN w.key ELSE o2.slug || '/' || w.key END
          FROM task w JOIN run o2 ON o2.id = w.run_id WHERE w.paths_wanted_since < now() - interval '10 minutes' AND w.ready AND w.rank < t.rank
            AND baton_path_ranges(w.run_id, w.files) && baton_path_ranges(t.run_id, t.files) ORDER BY w.rank LIMIT 1) END AS "pathWanter",
      coalesce((SELECT jsonb_agg(jsonb_build_object('key', d.key, 'status', d.status, 'settled', d.settled) ORDER BY d.settled DESC, d.created_at)
        FROM task_dependency e JOIN task d ON d.id = e.depends_on_id WHERE e.task_id = t.id AND NOT e.satisfied), '[]') AS "waitsFor",
      coalesce((SELECT jsonb_agg(c.key ORDER BY c.created_at) FROM task c WHERE c.parent_id = t.id AND NOT c.settled), '[]') AS subtasks,
      (SELECT jsonb_build_object('key', c.key, 'settled', c.settled, 'status', c.status) FROM task c
        WHERE c.run_id = t.run_id AND (c.id::text = t.blocked_on->>'task' OR c.key = t.blocked_on->>'task') LIMIT 1) AS blocker,
      (SELECT jsonb_build_object('turn', a.turn_status, 'workerId', a.worker_id, 'leaseExpiresAt', a.lease_expires_at, 'orphanedAt', a.orphaned_at, 'number', a.number,
          'deadlineAt', s.deadline_at, 'headCommit', a.head_commit, 'headPlace', a.head_place, 'headMissingSince', a.head_missing_since,
          'headMissingText', a.head_missing_text)
        FROM attempt a LEFT JOIN agent_session s ON s.id = a.session_id WHERE a.task_id = t.id AND a.ended_at IS NULL) AS attempt,
      (SELECT jsonb_build_object('state', q.state, 'url', q.url, 'branch', q.branch, 'red', q.red, 'trouble', q.trouble, 'lookAt', q.look_at)
        FROM pull_request q JOIN attempt a ON a.id = q.attempt_id WHERE q.task_id = t.id AND a.ended_at IS NULL) AS request,
      CASE WHEN t.settled AND t.status = 'FAILED' THEN (SELECT c.extra#>>'{metadata,policy,text}' FROM change c
        WHERE c.task_id = t.id AND c.task_seq = t.version AND c.note IS NULL) END AS policy,
      (SELECT p.reason FROM approval p WHERE p.task_id = t.id AND p.status = 'waiting' ORDER BY p.created_at DESC LIMIT 1) AS "approvalReason",
      (SELECT jsonb_build_object('outcome', a.outcome, 'summary', a.summary, 'rejections', coalesce(to_jsonb(a.rejections), '[]'), 'agent', a.route->>'agent')
        FROM attempt a WHERE a.task_id = t.id AND a.ended_at IS NOT NULL ORDER BY a.number DESC LIMIT 1) AS last,
      (SELECT jsonb_build_object('workerId', l.worker_id, 'live', l.lease_expires_at > clock_timestamp(), 'cause', l.wait_cause, 'text', l.wait_text)
        FROM lane l WHERE l.repo_id = t.repo_id AND l.target = r.target) AS lane,
      coalesce((SELECT jsonb_agg(jsonb_build_object('id', w.id, 'name', w.name, 'host', w.host, 'pid', w.pid,
          'status', w.status, 'heartbeatAt', w.heartbeat_at, 'own', w.run_id IS NOT NULL, 'withdrawn', w.withdrawn, 'behind', t.status = 'OPEN' AND ${behind('w', 'r')},
          'fits', (t.host IS NULL OR w.host = t.host) AND t.labels <@ w.labels) ORDER BY w.heartbeat_at DESC, w.id)
        FROM (SELECT * FROM worker w WHERE (w.run_id IS NULL OR w.run_id = t.run_id)
            AND (w.id = ANY($2::text[]) OR w.status <> 'offline' AND w.heartbeat_at > clock_timestamp() - interval '2 minutes')
          UNION SELECT w.* FROM worker w JOIN attempt a ON a.worker_id = w.id
            WHERE a.task_id = t.id AND a.ended_at IS NULL
          UNION (SELECT w.* FROM worker w WHERE (w.run_id IS NULL OR w.run_id = t.run_id)
            AND w.heartbeat_at >= r.created_at ORDER BY w.heartbeat_at DESC, w.id LIMIT 1)) w), '[]') AS workers,
      EXISTS (SELECT 1 FROM task u JOIN attempt a ON a.task_id = u.id
        WHERE u.run_id = t.run_id AND a.ended_at IS NULL AND a.lease_expires_at > clock_timestamp()
          AND NOT EXISTS (SELECT 1 FROM worker w WHERE w.id = a.worker_id)) AS "heldOutside",
      EXISTS (SELECT 1 FROM worker) AS "hasWorkers",
      (SELECT count(*) FROM baton_unlogged u WHERE u.at < clock_timestamp() - interval '10 seconds')::int AS "feedBehind"
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
    standing: z.boolean(),
    /** Of the repository. */
    location: z.string(),
    runStatus: z.string(),
    runReason: z.string().nullable(),
    /** Which policy ended it, and why. */
    policy: z.string().nullable(),
    budgetHeld: z.boolean(),
    budgetShort: z.boolean(),
    budgetReserved: z.boolean(),
    budgetCap: z.coerce.number().nullable(),
    budgetSpent: z.coerce.number(),
    slotsFull: z.boolean(),
    pathOwner: z.string().nullable(),
    pathWanter: z.string().nullable(),
    waitsFor: z.array(z.object({ key: z.string(), status: z.string(), settled: z.boolean() })),
    subtasks: z.array(z.string()),
    blocker: z.object({ key: z.string(), status: z.string(), settled: z.boolean() }).nullable(),
    attempt: z
      .object({
        turn: z.enum(turnMachine.states),
        workerId: z.string().nullable(),
        leaseExpiresAt: z.coerce.date().nullable(),
        orphanedAt: z.coerce.date().nullable(),
        number: z.number(),
        deadlineAt: z.coerce.date().nullable(),
        headCommit: z.string().nullable(),
        headPlace: headPlace.nullable(),
        headMissingSince: z.coerce.date().nullable(),
        headMissingText: z.string().nullable(),
      })
      .nullable(),
    /** The pull request of the attempt that is open. */
    request: z
      .object({
        state: z.string(),
        url: z.string().nullable(),
        branch: z.string(),
        red: z.string().nullable(),
        trouble: z.string().nullable(),
        lookAt: z.coerce.date(),
      })
      .nullable(),
    /** What a person is asked for. */
    approvalReason: z.string().nullable(),
    last: z
      .object({
        outcome: z.string().nullable(),
        summary: z.string().nullable(),
        rejections: z.array(z.string()),
        agent: z.string().nullable(),
      })
      .nullable(),
    lane: z
      .object({
        workerId: z.string().nullable(),
        live: z.boolean().nullable(),
        cause: z.string().nullable(),
        text: z.string().nullable(),
      })
      .nullable(),
    /** Those that may work on its run, its holder, and the one of them that was heard of last. */
    workers: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        host: z.string(),
        pid: z.number(),
        status: z.enum(['online', 'draining', 'offline']),
        heartbeatAt: z.coerce.date(),
        /** Narrowed to this run: `baton run`. */
        own: z.boolean(),
        /** Has the host and the labels that the task needs. */
        fits: z.boolean(),
        /** It takes nothing more of the run until some of what is finished has landed. */
        behind: z.boolean(),
        withdrawn: z.array(z.object({ agent: z.string(), reason: z.string(), until: z.string() })),
      }),
    ),
    /** Somebody who is no registered worker holds a task of the run: over HTTP, for one. */
    heldOutside: z.boolean(),
    /** Workers have registered in this store at some time: who claims does so as one of them. */
    hasWorkers: z.boolean(),
    feedBehind: z.number(),
  }),
  readonly: true,
} satisfies Statement;
