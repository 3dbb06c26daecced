import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: run, $2: commit; the one that is there stays */
export const pinBaseStatement = {
  name: 'pin-base',
  text: 'UPDATE run SET base_commit = coalesce(base_commit, $2) WHERE id = $1 RETURNING base_commit AS "baseCommit"',
  row: z.object({ baseCommit: z.string() }),
  readonly: false,
} satisfies Statement;
