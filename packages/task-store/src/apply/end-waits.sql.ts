import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: run, $2: outcomes of attempts; its tasks that were given back for such a cause and wait are due now. Gives how many. */
export const endWaits = {
  name: 'end-waits',
  text: 'SELECT baton_end_waits($1::uuid, $2::text[]) AS ended',
  row: z.object({ ended: z.number() }),
  readonly: false,
} satisfies Statement;

/** $1: host, $2: run or null. Runs with tasks that this host may take and that wait for room in a state folder. */
export const waitsForRoom = {
  name: 'waits-for-room',
  text: `SELECT DISTINCT t.run_id AS id FROM task t WHERE t.status = 'OPEN' AND t.not_before > now()
      AND (t.host IS NULL OR t.host = $1) AND ($2::uuid IS NULL OR t.run_id = $2)
      AND (SELECT a.outcome FROM attempt a WHERE a.task_id = t.id AND a.ended_at IS NOT NULL
        ORDER BY a.number DESC LIMIT 1) = 'state_full' ORDER BY 1`,
  row: z.object({ id: z.string() }),
  readonly: true,
} satisfies Statement;
