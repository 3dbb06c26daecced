import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/**
 * $1: run, $2: base commit or null, $3: workspace as JSON or null, $4: gates that may be red besides. Base and workspace stay once
 * something has landed. Forgets what was found out about the base, since it is judged again. Only a paused or failed run.
 */
export const amendRunStatement = {
  name: 'amend-run',
  text: `WITH held AS (SELECT r.id, EXISTS (SELECT 1 FROM landing l WHERE l.run_id = r.id AND l.abandoned_at IS NULL) AS begun
      FROM run r WHERE r.id = $1 AND r.status IN ('paused', 'failed') FOR UPDATE),
    forgotten AS (DELETE FROM base_verdict b USING held h WHERE b.run_id = h.id AND NOT h.begun)
    UPDATE run r SET base_commit = CASE WHEN h.begun THEN r.base_commit ELSE coalesce($2, r.base_commit) END,
      workspace = CASE WHEN h.begun THEN r.workspace ELSE coalesce($3::jsonb, r.workspace) END,
      allow_red = ARRAY(SELECT DISTINCT unnest(r.allow_red || $4::text[]) ORDER BY 1)
    FROM held h WHERE r.id = h.id RETURNING r.id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;
