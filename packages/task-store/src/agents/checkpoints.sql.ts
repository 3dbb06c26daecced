import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: attempt, $2: seq, $3: timing, $4: checkpoint as JSON; answers only where there is such an attempt */
export const appendCheckpointStatement = {
  name: 'append-checkpoint',
  text: `WITH known AS (SELECT id FROM attempt WHERE id = $1),
    added AS (INSERT INTO cognitive_checkpoint (attempt_id, seq, timing, checkpoint) SELECT id, $2, $3, $4::jsonb FROM known ON CONFLICT DO NOTHING)
    SELECT id FROM known`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;

/** $1: attempt */
export const selectCheckpoints = {
  name: 'select-checkpoints',
  text: 'SELECT checkpoint::text AS line FROM cognitive_checkpoint WHERE attempt_id = $1 ORDER BY id',
  row: z.object({ line: z.string() }),
  readonly: true,
} satisfies Statement;
