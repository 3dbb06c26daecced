import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: run; its tasks that wait for a provider, or for room in a state folder, are due now. Gives how many. */
export const endWaits = {
  name: 'end-waits',
  text: 'SELECT baton_end_waits($1::uuid) AS ended',
  row: z.object({ ended: z.number() }),
  readonly: false,
} satisfies Statement;
