import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { notifyAll } from '../db/notify.ts';

/** $1: the tasks, their edges and who adds them, as JSON. `at`: when, in µs; null when some have edges, which are to be read. */
export const addTasksStatement = {
  name: 'add-tasks',
  text: 'SELECT baton_add($1::jsonb) AS answer',
  row: z.object({
    answer: z.union([
      z.strictObject({ repeated: z.object({ taskIds: z.array(z.string()) }) }),
      z.strictObject({
        made: z.object({ at: z.number(), opened: z.boolean() }).nullable(),
        runStatus: z.string(),
      }),
    ]),
  }),
  readonly: false,
} satisfies Statement;

/** The same, and wakes listeners for work or events once it is there. */
export const addTasksTelling = {
  ...addTasksStatement,
  name: 'add-tasks-telling',
  text: `${addTasksStatement.text}, ${notifyAll}`,
} satisfies Statement;

/** $1: run, $2: keys, $3: idempotency keys; those tasks of the run that new ones may mean */
export const tasksMeant = {
  name: 'tasks-meant',
  text: `SELECT id, key, idempotency_key AS "idempotencyKey", status FROM task WHERE run_id = $1 AND key = ANY ($2::text[])
    UNION SELECT id, key, idempotency_key, status FROM task WHERE run_id = $1 AND idempotency_key = ANY ($3::text[])`,
  row: z.object({
    id: z.string(),
    key: z.string(),
    idempotencyKey: z.string().nullable(),
    status: z.string(),
  }),
  readonly: true,
} satisfies Statement;

/** $1: run; the repository that its tasks are done on */
export const placeOfRun = {
  name: 'place-of-run',
  text: 'SELECT r.repo_id AS "repoId", p.host FROM run r JOIN repo p ON p.id = r.repo_id WHERE r.id = $1',
  row: z.object({ repoId: z.string(), host: z.string().nullable() }),
  readonly: true,
} satisfies Statement;
