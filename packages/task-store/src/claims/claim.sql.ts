import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { repoRow, runRow } from '../db/rows.ts';
import { claimedTask } from './claimed-task.ts';

/** What a capped run has and holds. */
export const money = z.object({
  budget_micro_usd: z.number().nullable(),
  spent_micro_usd: z.number(),
  reserved_micro_usd: z.number(),
});
const predecessor = z.object({
  key: z.string(),
  title: z.string(),
  summary: z.string().nullable(),
  landedCommit: z.string().nullable(),
});
/** One claimed task with what its agent should know. */
export const claimedItem = z.object({
  task: claimedTask,
  number: z.number(),
  fence: z.number(),
  earlier: z.object({ rejections: z.array(z.string()), salvageRef: z.string().nullable() }).nullable(),
  predecessors: z.array(predecessor).nullable(),
});
/** A run that the caller did not know as it is. */
export const knownRun = z.object({ mark: z.string(), run: runRow, repo: repoRow });
const taken = z.object({
  ok: z.literal(true),
  now: z.coerce.date(),
  expires: z.coerce.date(),
  tasks: z.array(claimedItem),
  /** Null when the caller said that it knows the run as it is. */
  run: knownRun.nullable(),
  /** Null without a cap. */
  money: money.nullable(),
});
const head = z.object({ id: z.string(), run_id: z.string() });
const missed = z.object({
  ok: z.literal(false),
  why: z.enum(['none', 'slot', 'budget']),
  head: head.optional(),
});
const answer = z.discriminatedUnion('ok', [taken, missed]);
/** A claim that took something. */
export type Taken = z.output<typeof taken>;

/** As many as `claim_request` has, in its order: sql/11-claims.sql. */
const fields = Array.from({ length: 13 }, (_, at) => `$${at + 1}`);

/** The request, a field each. Head and claim in one statement, or the claim of what was chosen (locked by the caller, the head first). */
export const claimStatement = {
  name: 'claim',
  text: `SELECT baton_claim(ROW(${fields.join(', ')})::claim_request) AS answer`,
  row: z.object({ answer: answer.nullable() }),
  readonly: false,
} satisfies Statement;

const foundHead = z.object({
  id: z.string(),
  run_id: z.string(),
  files: z.array(z.string()),
  scope: z.string(),
  alone: z.boolean(),
  batch_size: z.number(),
  sharing: z.enum(['never', 'crowded', 'always']),
  mates: z.array(
    z.object({
      id: z.string(),
      files: z.array(z.string()),
      scope: z.string(),
      waitsFor: z.array(z.string()),
    }),
  ),
});
/** A head with those that could share its agent. */
export type FoundHead = z.output<typeof foundHead>;

/**
 * $1: request, $2: most candidates. Locks the head and reads who could share its batch, and what sharing is worth: `never` with a
 * command, which starts again for every task; `always` where the agent is said to be `warm`, or the plan keeps agents (`reuse`).
 */
export const claimHead = {
  name: 'claim-head',
  text: `SELECT h.id, h.run_id, h.files, h.scope, h.continue_from IS NOT NULL AS alone, r.batch_size,
      CASE WHEN a.definition ? 'command' THEN 'never' WHEN a.definition->'warm' = 'true' OR jsonb_typeof(r.plan->'reuse') = 'object' THEN 'always'
        ELSE 'crowded' END AS sharing,
      CASE WHEN h.continue_from IS NULL AND h.scope IN ('small', 'medium') AND r.batch_size > 1 AND NOT coalesce(a.definition ? 'command', false)
        THEN baton_claim_mates(h, $2::int) ELSE '[]'::jsonb END AS mates
    FROM baton_claim_head($1::jsonb) h JOIN run r ON r.id = h.run_id
      CROSS JOIN LATERAL (SELECT coalesce(nullif(h.agent, 'null'), r.routing->'roles'->h.role->'agent', nullif(r.default_agent, 'null')) AS named) n
      CROSS JOIN LATERAL (SELECT CASE jsonb_typeof(n.named) WHEN 'object' THEN n.named WHEN 'string' THEN r.agents->(n.named #>> '{}')
        ELSE (SELECT min(e.value::text)::jsonb FROM jsonb_each(r.agents) e HAVING count(*) = 1) END AS definition) a`,
  row: foundHead,
  readonly: false,
} satisfies Statement;

/**
 * $1: worker, $2: host, $3: labels, $4: roles or null, $5: run or null (that the worker is bound to), $6: run of the head, $7: most
 * that are counted. Ready tasks, agents that other workers could start, and agents that the head's run may still have (null: no limit).
 */
export const claimRoom = {
  name: 'claim-room',
  text: `SELECT (SELECT count(*)::int FROM (SELECT 1 FROM task o WHERE o.ready AND ($5::uuid IS NULL OR o.run_id = $5) AND (o.host IS NULL OR o.host = $2) AND o.labels <@ $3::text[]
        AND ($4::text[] IS NULL OR o.role = ANY ($4)) LIMIT $7::int) found) AS ready,
      (SELECT coalesce(sum(greatest(0, w.capacity - (SELECT count(*) FROM agent_session s WHERE s.worker_id = w.id AND s.ended_at IS NULL))), 0)::int
        FROM worker w WHERE w.id <> $1 AND w.status = 'online' AND w.heartbeat_at > clock_timestamp() - interval '30 seconds'
          AND (w.run_id IS NULL OR w.run_id = $6::uuid)) AS elsewhere,
      (SELECT r.max_agents - (SELECT count(*)::int FROM slot WHERE run_id = r.id) FROM run r WHERE r.id = $6::uuid) AS allowed`,
  row: z.object({ ready: z.number(), elsewhere: z.number(), allowed: z.number().nullable() }),
  readonly: true,
} satisfies Statement;
