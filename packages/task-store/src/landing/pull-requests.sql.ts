import { z } from 'zod';
import { pullRequestRow } from '../db/pull-request-row.ts';
import type { Statement } from '../db/statement.ts';

/**
 * $1: attempt, $2: fence, $3: note as JSON. Writes down what became of the pull request of a finished attempt, for its holder alone; with
 * `gives` the holder gives the attempt up until it is looked at again. A commit is listed once, last where it is the newest.
 */
export const noteRequestStatement = {
  name: 'note-pull-request',
  text: `WITH given AS (SELECT n.*, $3::jsonb ? 'red' AS has_red FROM jsonb_to_record($3::jsonb) AS n(branch text, state text, commit text, onto text,
      number int, url text, "mergeCommit" text, red text, trouble text, "lookInMs" int, gives boolean)),
    mine AS (SELECT a.id, a.run_id, a.task_id FROM task t JOIN attempt a ON a.task_id = t.id
      WHERE a.id = $1::uuid AND a.fence = $2::bigint AND a.ended_at IS NULL AND t.status = 'DONE' FOR NO KEY UPDATE OF t, a),
    noted AS (INSERT INTO pull_request AS q (attempt_id, run_id, task_id, branch, commits, onto, state, number, url, merge_commit, red, trouble,
        troubles, look_at)
      SELECT m.id, m.run_id, m.task_id, g.branch, array_remove(ARRAY[g.commit], NULL), g.onto, g.state, g.number, g.url, g."mergeCommit", g.red,
        g.trouble, (g.trouble IS NOT NULL)::int, clock_timestamp() + g."lookInMs" * interval '1 millisecond' FROM mine m CROSS JOIN given g
      ON CONFLICT (attempt_id) DO UPDATE SET state = EXCLUDED.state, onto = coalesce(EXCLUDED.onto, q.onto),
        commits = CASE WHEN EXCLUDED.commits = '{}' THEN q.commits
          ELSE array_remove(q.commits, EXCLUDED.commits[1]) || EXCLUDED.commits END,
        number = coalesce(EXCLUDED.number, q.number), url = coalesce(EXCLUDED.url, q.url),
        merge_commit = coalesce(EXCLUDED.merge_commit, q.merge_commit),
        red = CASE WHEN (SELECT has_red FROM given) THEN EXCLUDED.red ELSE q.red END, trouble = EXCLUDED.trouble,
        troubles = CASE WHEN EXCLUDED.trouble IS NULL THEN 0 ELSE q.troubles + 1 END, look_at = EXCLUDED.look_at,
        updated_at = clock_timestamp()
      RETURNING q.*),
    given_up AS (UPDATE attempt a SET worker_id = NULL, lease_expires_at = NULL FROM noted, given
      WHERE a.id = noted.attempt_id AND given.gives)
    SELECT * FROM noted`,
  row: pullRequestRow,
  readonly: false,
} satisfies Statement;

/** $1: run; oldest first, with the keys of their tasks and whether their attempts are over */
export const requestsOfRun = {
  name: 'pull-requests-of-run',
  text: `SELECT to_jsonb(q) AS request, t.key, t.status FROM pull_request q JOIN task t ON t.id = q.task_id
    JOIN attempt a ON a.id = q.attempt_id WHERE q.run_id = $1::uuid ORDER BY q.created_at, q.attempt_id`,
  row: z.object({ request: pullRequestRow, key: z.string(), status: z.string() }),
  readonly: true,
} satisfies Statement;
