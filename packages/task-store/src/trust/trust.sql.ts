import { taskSource } from '@baton/contracts';
import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** Attempts of a run that are looked back at, and runs of a repository; violations are never forgotten. */
const perRun = 200;
const runs = 20;

/** What the task does not own, and what it does: both tell of the agent. */
const tampered = `jsonb_path_exists(v.results, '$[*] ? ((@.name == "tamper" || @.name == "weakened") && @.passed == false)')`;
/** A person's newest word on an attempt. */
const word = `SELECT p.status AS word FROM approval p WHERE p.task_id = a.task_id AND p.attempt_id = a.id AND p.status IN ('approved', 'rejected') ORDER BY p.decided_at DESC LIMIT 1`;
const who = `r.repo_id AS "repoId", a.route->>'agent' AS agent, s.adapter, coalesce(s.model, a.route->>'model') AS model, t.role`;

/**
 * $1: repository or null. What became of attempts, of recent ones how they ended, of all ones how they broke the rules: for each agent
 * from one violation to the next how many landed and how many were rejected, in that order of time.
 */
export const trustOutcomes = {
  name: 'trust-outcomes',
  text: `WITH bad AS (
      SELECT v.attempt_id, min(v.created_at) AS at, min((SELECT x->>'reason' FROM jsonb_array_elements(v.results) x WHERE x->>'name' IN ('tamper', 'weakened') AND x->>'passed' = 'false' LIMIT 1)) AS what
      FROM verdict v WHERE ${tampered} GROUP BY v.attempt_id),
    refused AS (SELECT p.attempt_id, max(p.decided_at) AS at, max(p.decision_reason) AS what FROM approval p WHERE p.status = 'rejected' GROUP BY p.attempt_id),
    recent AS (SELECT n.id FROM (SELECT id FROM run WHERE $1::uuid IS NULL OR repo_id = $1 ORDER BY created_at DESC, id DESC LIMIT ${runs}) r
      CROSS JOIN LATERAL (SELECT o.id FROM attempt o WHERE o.run_id = r.id ORDER BY o.created_at DESC LIMIT ${perRun}) n),
    looked AS (SELECT id FROM recent UNION SELECT attempt_id FROM bad UNION SELECT attempt_id FROM refused),
    judged AS (SELECT ${who}, coalesce(CASE WHEN y.word IS DISTINCT FROM 'approved' THEN coalesce(f.at, b.at) END, a.ended_at) AS at, a.id,
        CASE WHEN y.word = 'rejected' OR (b.attempt_id IS NOT NULL AND y.word IS DISTINCT FROM 'approved') THEN 'violation'
          WHEN a.outcome = 'done' AND b.attempt_id IS NULL THEN 'landed'
          WHEN a.outcome = 'rejected' THEN 'rejected' END AS kind,
        CASE WHEN y.word = 'rejected' THEN 'a person refused it: ' || f.what ELSE b.what END AS what
      FROM looked k JOIN attempt a ON a.id = k.id JOIN agent_session s ON s.id = a.session_id JOIN task t ON t.id = a.task_id JOIN run r ON r.id = a.run_id
      LEFT JOIN bad b ON b.attempt_id = a.id LEFT JOIN refused f ON f.attempt_id = a.id LEFT JOIN LATERAL (${word}) y ON true
      WHERE $1::uuid IS NULL OR r.repo_id = $1),
    spans AS (SELECT *, count(*) FILTER (WHERE kind = 'violation') OVER (PARTITION BY "repoId", agent, adapter, model, role ORDER BY at, id) AS span
      FROM judged WHERE kind IS NOT NULL)
    SELECT "repoId", agent, adapter, model, role, kind, max(what) AS what, count(*)::int AS times FROM spans
    GROUP BY 1, 2, 3, 4, 5, span, kind ORDER BY span, kind = 'violation' DESC, min(at), 1, 2, 3, 4, 5`,
  row: z.object({
    repoId: z.string(),
    agent: z.string().nullable(),
    adapter: z.string(),
    model: z.string().nullable(),
    role: z.string(),
    kind: z.enum(['landed', 'rejected', 'violation']),
    what: z.string().nullable(),
    times: z.number(),
  }),
  readonly: true,
} satisfies Statement;

/** $1: attempt. Who worked on it and for whom, whether its own verdicts show tampering, and whether a person said yes to its head. */
export const trustCase = {
  name: 'trust-case',
  text: `SELECT ${who}, r.trust, r.plan->>'weakened' IS DISTINCT FROM 'tell' AS "holdsWeakened", t.id AS "taskId", t.risk, t.source,
      EXISTS (SELECT 1 FROM verdict v WHERE v.task_id = a.task_id AND v.attempt_id = a.id AND ${tampered}) AS tampered,
      EXISTS (SELECT 1 FROM approval p WHERE p.task_id = a.task_id AND p.attempt_id = a.id AND p.status = 'approved' AND p.head_commit = a.head_commit) AS approved
    FROM attempt a JOIN task t ON t.id = a.task_id JOIN run r ON r.id = a.run_id LEFT JOIN agent_session s ON s.id = a.session_id WHERE a.id = $1`,
  row: z.object({
    repoId: z.string(),
    agent: z.string().nullable(),
    /** Null: no agent worked on it. */
    adapter: z.string().nullable(),
    model: z.string().nullable(),
    role: z.string(),
    trust: z.enum(['observe', 'enforce']),
    holdsWeakened: z.boolean(),
    taskId: z.string(),
    risk: z.enum(['low', 'medium', 'high']),
    source: taskSource,
    tampered: z.boolean(),
    approved: z.boolean(),
  }),
  readonly: true,
} satisfies Statement;

/** $1: verdict. Whether the tree that it is about weakens what its task does not own. */
export const verdictTampered = {
  name: 'verdict-tampered',
  text: `SELECT jsonb_path_exists(v.results, '$[*] ? (@.name == "tamper" && @.passed == false)') AS tampered FROM verdict v WHERE v.id = $1`,
  row: z.object({ tampered: z.boolean() }),
  readonly: true,
} satisfies Statement;

/** $1: run. What the newest verdicts of its attempts say of weakened tests and gates, by attempt in the order of their ends. */
export const weakenedOfRun = {
  name: 'weakened-of-run',
  text: `SELECT v.task_id AS "taskId", v.attempt_id AS "attemptId", (SELECT jsonb_agg(x->>'reason') FROM jsonb_array_elements(v.results) x
        WHERE x->>'name' IN ('tamper', 'weakened') AND x->>'passed' = 'false') AS texts
    FROM task t JOIN verdict v ON v.task_id = t.id
    WHERE t.run_id = $1 AND ${tampered} AND NOT EXISTS (SELECT 1 FROM verdict n WHERE n.task_id = v.task_id AND n.attempt_id = v.attempt_id
      AND (n.created_at, n.id) > (v.created_at, v.id))
    ORDER BY v.created_at, v.id`,
  row: z.object({ taskId: z.string(), attemptId: z.string(), texts: z.array(z.string()) }),
  readonly: true,
} satisfies Statement;
