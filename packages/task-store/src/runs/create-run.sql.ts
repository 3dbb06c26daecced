import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: repo, run, budget, tasks and edges as JSON. All in one transaction. */
export const createRunStatement = {
  name: 'create-run',
  text: 'INSERT INTO baton_creation (request) VALUES ($1::jsonb) RETURNING answer',
  row: z.object({ answer: z.object({ runId: z.string() }) }),
  readonly: false,
} satisfies Statement;
