import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/**
 * $1: run. Its finished work is looked at at once, pull requests as well as what a worker could not land: somebody has acted on what
 * they wait for.
 */
export const lookNowStatement = {
  name: 'look-at-finished-work-now',
  text: `WITH requests AS (UPDATE pull_request q SET look_at = clock_timestamp() FROM attempt a
      WHERE a.id = q.attempt_id AND a.ended_at IS NULL AND q.run_id = $1::uuid RETURNING q.attempt_id),
    missed AS (UPDATE attempt a SET head_missed = '{}' FROM task t
      WHERE t.run_id = $1::uuid AND t.status = 'DONE' AND a.task_id = t.id AND a.ended_at IS NULL
        AND a.head_missed <> '{}' RETURNING a.id)
    SELECT attempt_id FROM requests UNION ALL SELECT id FROM missed`,
  row: z.unknown(),
  readonly: false,
} satisfies Statement;
