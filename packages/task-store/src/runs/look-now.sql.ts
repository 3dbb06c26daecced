import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: run. Its pull requests are looked at at once: somebody has acted on what they wait for. */
export const lookNowStatement = {
  name: 'look-at-pull-requests-now',
  text: `UPDATE pull_request q SET look_at = clock_timestamp() FROM attempt a
    WHERE a.id = q.attempt_id AND a.ended_at IS NULL AND q.run_id = $1::uuid RETURNING q.attempt_id`,
  row: z.unknown(),
  readonly: false,
} satisfies Statement;
