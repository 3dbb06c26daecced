import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { attemptState, situationRow, taskState } from '../decide/loaded-situation.ts';

const session = `CASE WHEN s.id IS NULL THEN NULL ELSE json_build_object('id', s.id, 'runId', s.run_id, 'status', s.status, 'statusSeq', s.status_seq,
  'executionState', s.execution_state, 'executionSeq', s.execution_seq, 'currentAttemptId', s.current_attempt_id) END AS session`;
const mostTries = 1000;
/** More than once where its tries cost more than they may: what is left then is more than nothing, and no more than its max_cost. */
const unpaidTries = `(SELECT 1 + coalesce(least(greatest(sum(o.cost_micro_usd)::bigint - t.max_cost_micro_usd * (1 + t.granted_tries), 0)
    / nullif(t.max_cost_micro_usd, 0), ${mostTries}), 0) FROM attempt o WHERE o.task_id = t.id)`;
const task = `json_build_object('id', t.id, 'runId', t.run_id, 'parentId', t.parent_id, 'status', t.status, 'version', t.version,
  'fence', t.fence, 'tries', t.tries, 'grantedTries', t.granted_tries, 'maxRetries', t.max_retries, 'conflicts', t.conflicts,
  'setbacks', t.setbacks, 'cancelRequested', t.cancel_requested,
  'unpaidTries', CASE WHEN t.status = 'FAILED' AND baton_cost_left(t) = 0 THEN ${unpaidTries} ELSE 0 END,
  'lineage', CASE WHEN a.number > 1 OR t.parent_id IS NOT NULL OR t.max_attempts = 1 OR t.status = 'FAILED' THEN baton_lineage(t.id) END)`;
const attempt = `json_build_object('id', a.id, 'taskId', a.task_id, 'fence', a.fence, 'place', a.place, 'turnStatus', a.turn_status,
  'turnSeq', a.turn_seq, 'openTools', a.open_tools, 'startCommit', a.start_commit, 'headCommit', a.head_commit, 'orphanCounts', a.orphan_counts)`;
const taskAndAttempt = `json_build_object('task', ${task}, 'attempt', ${attempt})`;

/** $1: attempts, all of one session or without one */
export const situationOfAttempts = {
  name: 'situation-of-attempts',
  text: `SELECT clock_timestamp() AS now, ${session}, json_agg(${taskAndAttempt} ORDER BY a.place) AS items
    FROM attempt a JOIN task t ON t.id = a.task_id LEFT JOIN agent_session s ON s.id = a.session_id
    WHERE a.id = ANY ($1::uuid[]) GROUP BY s.id`,
  row: situationRow,
  readonly: true,
} satisfies Statement;

/** $1: attempt. By equality, so that its plan is made once: with a list, Postgres plans each call again. */
export const situationOfAttempt = {
  ...situationOfAttempts,
  name: 'situation-of-attempt',
  text: situationOfAttempts.text.replace('a.id = ANY ($1::uuid[])', 'a.id = $1'),
} satisfies Statement;

/** $1: session; with its open attempts */
export const situationOfSession = {
  name: 'situation-of-session',
  text: `SELECT clock_timestamp() AS now, ${session}, coalesce(json_agg(${taskAndAttempt} ORDER BY a.place) FILTER (WHERE a.id IS NOT NULL), '[]') AS items
    FROM agent_session s LEFT JOIN attempt a ON a.session_id = s.id AND a.ended_at IS NULL LEFT JOIN task t ON t.id = a.task_id
    WHERE s.id = $1 GROUP BY s.id`,
  row: situationRow,
  readonly: true,
} satisfies Statement;

/** $1: tasks; each with its open attempt, if any, and whether the move of a ref for it is under way */
export const situationOfTasks = {
  name: 'situation-of-tasks',
  text: `SELECT clock_timestamp() AS now, ${task} AS task, CASE WHEN a.id IS NULL THEN NULL ELSE ${attempt} END AS attempt,
      EXISTS (SELECT 1 FROM landing l WHERE l.task_id = t.id AND l.confirmed_at IS NULL AND l.abandoned_at IS NULL) AS landing
    FROM task t LEFT JOIN attempt a ON a.task_id = t.id AND a.ended_at IS NULL WHERE t.id = ANY ($1::uuid[]) ORDER BY t.created_at, t.id`,
  row: z.object({
    now: z.coerce.date(),
    task: taskState,
    attempt: attemptState.nullable(),
    landing: z.boolean(),
  }),
  readonly: true,
} satisfies Statement;
