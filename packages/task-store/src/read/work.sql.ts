import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { attemptRow, repoRow, runRow, sessionRow, taskRow } from '../db/rows.ts';

/** $1: attempts; each with all that its holder needs */
export const workOfAttempts = {
  name: 'work-of-attempts',
  text: `SELECT to_jsonb(r) || baton_run_money(r.id) AS run, to_jsonb(p) AS repo, to_jsonb(t) AS task, to_jsonb(a) AS attempt, to_jsonb(s) AS session
    FROM attempt a JOIN task t ON t.id = a.task_id JOIN run r ON r.id = t.run_id JOIN repo p ON p.id = t.repo_id
    LEFT JOIN agent_session s ON s.id = a.session_id WHERE a.id = ANY ($1::uuid[]) ORDER BY a.created_at, a.place, a.id`,
  row: z.object({
    run: runRow,
    repo: repoRow,
    task: taskRow,
    attempt: attemptRow,
    session: sessionRow.nullable(),
  }),
  readonly: true,
} satisfies Statement;
