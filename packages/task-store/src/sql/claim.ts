import { z } from 'zod';
import type { Statement } from '../db.ts';
import { repoRow, runRow, taskRow } from '../rows.ts';

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
  task: taskRow,
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

const columns = [
  ...['worker', 'host', 'labels', 'roles', 'run_id', 'task_id', 'lease_ms', 'session_id', 'attempt_ids'],
  ...['skip_tasks', 'skip_runs', 'chosen', 'known_runs'],
];

/** The request, a column each. Head and claim in one statement, or the claim of what was chosen (locked by the caller, the head first). */
export const claimStatement = {
  name: 'claim',
  text: `INSERT INTO baton_claim (${columns.join(', ')}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')}) RETURNING answer`,
  row: z.object({ answer }),
  readonly: false,
} satisfies Statement;

/** $1: request, $2: most candidates. Locks the head and reads who could share its batch. */
export const claimHead = {
  name: 'claim-head',
  text: `SELECT h.id, h.run_id, h.files, h.scope, h.continue_from IS NOT NULL AS alone, r.batch_size,
      CASE WHEN h.continue_from IS NULL AND h.scope IN ('small', 'medium') AND r.batch_size > 1 THEN baton_claim_mates(h, $2::int) ELSE '[]'::jsonb END AS mates
    FROM baton_claim_head($1::jsonb) h JOIN run r ON r.id = h.run_id`,
  row: z.object({
    id: z.string(),
    run_id: z.string(),
    files: z.array(z.string()),
    scope: z.string(),
    alone: z.boolean(),
    batch_size: z.number(),
    mates: z.array(
      z.object({
        id: z.string(),
        files: z.array(z.string()),
        scope: z.string(),
        waitsFor: z.array(z.string()),
      }),
    ),
  }),
  readonly: false,
} satisfies Statement;
