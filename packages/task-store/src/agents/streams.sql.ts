import { agentEvent } from '@baton/contracts';
import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: attempt, $2: offset, $3: usage as JSON, with the reviewer that spent it, $4: cost */
export const bookUsage = {
  name: 'book-usage',
  text: 'SELECT baton_book_usage($1, $2, $3::jsonb, $4) AS booked',
  row: z.object({
    booked: z
      .object({
        spentMicroUsd: z.number(),
        capReached: z.boolean(),
        capExceeded: z.boolean(),
        maxCostReached: z.boolean(),
        maxCostExceeded: z.boolean(),
      })
      .nullable(),
  }),
  readonly: false,
} satisfies Statement;

/** $1: attempt, $2: the reviewer that begins, null: its author. From here on what it spends is unknown until its usage is reported. No row: the attempt has ended. */
export const openMeterStatement = {
  name: 'open-meter',
  text: `UPDATE attempt SET meter = CASE WHEN meter IN ('none', 'measured') THEN 'open' ELSE meter END,
    metered_reviewer = CASE WHEN meter IN ('none', 'measured') THEN $2 ELSE metered_reviewer END
    WHERE id = $1 AND ended_at IS NULL RETURNING id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;

/** $1: attempt, $2: none, measured or unknown, $3: why it is unknown, or null. What was settled before stays, and so does that something was spent. */
export const closeMeterStatement = {
  name: 'close-meter',
  text: `UPDATE attempt a SET unmeasured_reason = $3,
    meter = CASE WHEN $2 = 'none' AND EXISTS (SELECT FROM usage_entry u WHERE u.attempt_id = a.id) THEN 'measured' ELSE $2 END
    WHERE a.id = $1 AND a.meter = 'open'`,
  row: z.unknown(),
  readonly: false,
} satisfies Statement;

/** $1: attempts; what is reserved for them, and what their tasks may still cost */
export const selectShares = {
  name: 'select-shares',
  text: `SELECT a.id AS "attemptId", r.amount_micro_usd AS "reservedMicroUsd", baton_cost_left(t) AS "leftMicroUsd"
    FROM attempt a JOIN task t ON t.id = a.task_id LEFT JOIN reservation r ON r.attempt_id = a.id
    WHERE a.id = ANY ($1::uuid[])`,
  row: z.object({
    attemptId: z.string(),
    reservedMicroUsd: z.coerce.number().nullable(),
    leftMicroUsd: z.coerce.number().nullable(),
  }),
  readonly: true,
} satisfies Statement;

/** $1: run; agents, by name, of which an attempt did not tell all that it spent: its author, or the reviewer of its work */
export const selectUnmeasuredAgents = {
  name: 'select-unmeasured-agents',
  text: `SELECT DISTINCT agent FROM attempt a CROSS JOIN LATERAL (VALUES
      (coalesce(a.route->>'agent', (SELECT adapter FROM agent_session WHERE id = a.session_id)),
        coalesce((a.review->'measured'->>'author')::boolean, false)),
      (a.review->'by'->>'agent', coalesce((a.review->'measured'->>'reviewer')::boolean, true))) AS said(agent, measured)
    WHERE a.run_id = $1 AND a.meter IN ('unknown', 'unmeasured') AND agent IS NOT NULL AND NOT measured ORDER BY agent`,
  row: z.object({ agent: z.string() }),
  readonly: true,
} satisfies Statement;

/** $1: sessions, $2: attempts, $3: events as JSON, $4: times, of equal length */
export const appendAgentEventsStatement = {
  name: 'append-agent-events',
  text: `INSERT INTO agent_event (session_id, attempt_id, event, at)
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::jsonb[], $4::timestamptz[])`,
  row: z.unknown(),
  readonly: false,
} satisfies Statement;

/** The same of those that are not there. */
export const appendMissingEventsStatement = {
  name: 'append-missing-events',
  text: `INSERT INTO agent_event (session_id, attempt_id, event, at)
    SELECT g.session_id, g.attempt_id, g.event, g.at
    FROM unnest($1::uuid[], $2::uuid[], $3::jsonb[], $4::timestamptz[]) WITH ORDINALITY g(session_id, attempt_id, event, at, n)
    WHERE NOT EXISTS (SELECT 1 FROM agent_event v WHERE v.session_id = g.session_id AND v.at = g.at AND v.event = g.event
      AND v.attempt_id IS NOT DISTINCT FROM g.attempt_id) ORDER BY g.n`,
  row: z.unknown(),
  readonly: false,
} satisfies Statement;

/** $1: session or null, $2: attempt or null, $3: task or null, $4: after this id, $5: limit */
export const selectAgentEvents = {
  name: 'select-agent-events',
  text: `SELECT v.id::text, v.session_id AS "sessionId", v.attempt_id AS "attemptId", v.event, v.at FROM agent_event v
    WHERE ($1::uuid IS NULL OR v.session_id = $1) AND ($2::uuid IS NULL OR v.attempt_id = $2)
      AND ($3::uuid IS NULL OR v.attempt_id IN (SELECT a.id FROM attempt a WHERE a.task_id = $3)) AND v.id > $4 ORDER BY v.id LIMIT $5`,
  row: z.object({
    id: z.string(),
    sessionId: z.string(),
    attemptId: z.string().nullable(),
    event: agentEvent,
    at: z.coerce.date(),
  }),
  readonly: true,
} satisfies Statement;

/** $1: session, $2: last sign or null for now, $3: is an activity given, $4: activity, $5: model or null. One that has ended does nothing any more. */
export const touchSessionStatement = {
  name: 'touch-session',
  text: `UPDATE agent_session SET last_sign_at = greatest(last_sign_at, coalesce($2::timestamptz, clock_timestamp())),
    activity = CASE WHEN $3::boolean AND ended_at IS NULL THEN $4::text ELSE activity END, model = coalesce($5::text, model) WHERE id = $1`,
  row: z.unknown(),
  readonly: false,
} satisfies Statement;

/** $1: attempt, $2: fence, $3: ref */
export const setSalvageStatement = {
  name: 'set-salvage',
  text: 'UPDATE attempt SET salvage_ref = $3 WHERE id = $1 AND fence = $2 RETURNING id',
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;

/** $1: attempt, $2: fence, $3: what a reviewer said, as JSON. Only while the attempt is at work: what is finished keeps what was said of it. */
export const setReviewStatement = {
  name: 'set-review',
  text: `UPDATE attempt SET review = $3::jsonb WHERE id = $1 AND fence = $2 AND ended_at IS NULL AND done_at IS NULL RETURNING id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;

/** $1: run; with what cost reports group by */
export const selectUsage = {
  name: 'select-usage',
  text: `SELECT a.task_id AS "taskId", a.run_id AS "runId", t.role, u.model, nullif(s.adapter, '') AS agent, a.route->>'agent' AS author, u.reviewer, u.at, u.input_tokens AS "inputTokens",
      u.output_tokens AS "outputTokens", u.cache_read_tokens AS "cacheReadTokens", u.cache_write_tokens AS "cacheWriteTokens",
      u.cost_micro_usd AS "costMicroUsd", u.estimated, u.measured
    FROM usage_entry u JOIN attempt a ON a.id = u.attempt_id JOIN task t ON t.id = a.task_id LEFT JOIN agent_session s ON s.id = a.session_id
    WHERE a.run_id = $1 ORDER BY u.at, u.attempt_id, u."offset"`,
  row: z.object({
    taskId: z.string(),
    runId: z.string(),
    role: z.string(),
    model: z.string().nullable(),
    agent: z.string().nullable(),
    author: z.string().nullable(),
    reviewer: z.string().nullable(),
    at: z.coerce.date(),
    inputTokens: z.coerce.number(),
    outputTokens: z.coerce.number(),
    cacheReadTokens: z.coerce.number(),
    cacheWriteTokens: z.coerce.number(),
    costMicroUsd: z.coerce.number(),
    estimated: z.boolean(),
    measured: z.boolean(),
  }),
  readonly: true,
} satisfies Statement;
