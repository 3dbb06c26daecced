import { z } from 'zod';
import type { Statement } from '../db.ts';

/** $1: worker */
export const heartbeat = {
  name: 'heartbeat',
  text: 'UPDATE worker SET heartbeat_at = clock_timestamp() WHERE id = $1 RETURNING status',
  row: z.object({ status: z.enum(['online', 'draining', 'offline']) }),
  readonly: false,
} satisfies Statement;
