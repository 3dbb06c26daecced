import { z } from 'zod';
import type { Statement } from '../db.ts';
import { attemptRow, repoRow, runRow, taskRow } from '../rows.ts';

const details = z.object({
  ok: z.literal(true),
  session_id: z.string(),
  run: runRow,
  repo: repoRow,
  tasks: z.array(
    z.object({
      task: taskRow,
      attempt: attemptRow,
      rejections: z.array(z.string()),
      salvage_ref: z.string().nullable(),
      predecessors: z.array(
        z.object({
          key: z.string(),
          title: z.string(),
          summary: z.string().nullable(),
          landedCommit: z.string().nullable(),
        }),
      ),
    }),
  ),
});
const missed = z.object({
  ok: z.literal(false),
  why: z.enum(['none', 'slot', 'budget', 'path']),
  head: z.union([z.object({ id: z.string(), run_id: z.string() }), z.boolean()]).optional(),
  task: z.string().optional(),
});
const answer = z.union([details, missed]);
/** What a claim gives, or what stood in its way. */
export type ClaimAnswer = z.output<typeof answer>;

/** $1: request. Head and claim in one statement, for batches of one. */
export const claimNext = {
  name: 'claim-next',
  text: 'SELECT baton_claim_next($1::jsonb) AS answer',
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

/** $1: request, $2: chosen tasks, the locked head first */
export const claimTasks = {
  name: 'claim-tasks',
  text: 'SELECT baton_claim_tasks($1::jsonb, $2::uuid[]) AS answer',
  row: z.object({ answer }),
  readonly: false,
} satisfies Statement;
