import { z } from 'zod';
import { date, row, texts } from './rows.ts';

export const pullRequestRow = row({
  attemptId: z.string(),
  runId: z.string(),
  taskId: z.string(),
  branch: z.string(),
  commits: texts,
  onto: z.string().nullable(),
  state: z.enum(['opening', 'open', 'merged', 'closed']),
  number: z.number().nullable(),
  url: z.string().nullable(),
  mergeCommit: z.string().nullable(),
  red: z.string().nullable(),
  trouble: z.string().nullable(),
  troubles: z.number(),
  lookAt: date,
  createdAt: date,
  updatedAt: date,
});
