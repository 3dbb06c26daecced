import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: task; the gates of its run, and the settings that say when one is flaky */
export const gatesOfTask = {
  name: 'gates-of-task',
  text: `SELECT r.repo_id AS "repoId", r.gates, r.plan FROM task t JOIN run r ON r.id = t.run_id WHERE t.id = $1`,
  row: z.object({
    repoId: z.string(),
    gates: z.array(z.object({ name: z.string(), command: z.array(z.string()) })),
    plan: z.unknown(),
  }),
  readonly: true,
} satisfies Statement;
