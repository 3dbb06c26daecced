import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: repo, run, budget, tasks and edges as JSON. All in one transaction. */
export const createRunStatement = {
  name: 'create-run',
  text: 'SELECT baton_create($1::jsonb) AS answer',
  row: z.object({ answer: z.object({ runId: z.string() }) }),
  readonly: false,
} satisfies Statement;
