import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** The fields of `change_request` in its order: sql/09-change-request.sql. */
const fields = [
  ...['steps', 'runs', 'tasks', 'attempts', 'sessions'],
  ...['task_seqs', 'turn_seqs', 'agent_seqs', 'execution_seqs', 'run_seqs'],
  ...['actors', 'reasons', 'transition_reasons', 'abort_reasons', 'metadata'],
  ...['session_ids', 'session_status_seqs', 'session_execution_seqs'],
  ...['session_status_first', 'session_status_at', 'session_execution_first', 'session_execution_at'],
  'session_patches',
  ...['task_ids', 'task_versions', 'task_fences', 'task_first', 'task_at', 'task_patches'],
  ...['attempt_ids', 'attempt_fences', 'attempt_seqs', 'attempt_tools', 'attempt_first', 'attempt_at'],
  ...['attempt_patches', 'rest'],
];
const json: Readonly<Record<string, string>> = {
  ...{ metadata: 'jsonb[]', session_patches: 'jsonb[]', task_patches: 'jsonb[]', attempt_patches: 'jsonb[]' },
  rest: 'jsonb',
};
const values = fields.map((name, at) => `$${at + 1}${json[name] === undefined ? '' : `::${json[name]}`}`);

/** The change, a field each as `changeValues` gives them. One statement, one transaction, one flush of the log. */
export const applyStatement = {
  name: 'apply',
  text: `SELECT baton_change(ROW(${values.join(', ')})::change_request) AS answer`,
  row: z.object({
    answer: z.union([
      z.object({ ok: z.literal(true), cascade: z.array(z.string()), released: z.number() }),
      z.object({ ok: z.literal(false), why: z.literal('repeated'), answer: z.unknown() }),
    ]),
  }),
  readonly: false,
} satisfies Statement;
