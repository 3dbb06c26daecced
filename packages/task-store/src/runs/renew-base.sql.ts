import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/**
 * $1: run; forgets its base when the base is what holds it, so that the next worker pins and verifies the head of today. A standing
 * run that failed: as its next delivery does. Another one: while nothing has landed and no work of it is on the way.
 */
export const renewBaseStatement = {
  name: 'renew-base',
  text: `WITH held AS (SELECT r.id FROM run r WHERE r.id = $1 AND (r.standing AND r.status = 'failed'
      OR r.status IN ('paused', 'failed') AND r.status_reason ~ '^(BASE_RED|SETUP_FAILED|REPO_INCOMPLETE|PATH_OUTSIDE): '
        AND NOT EXISTS (SELECT 1 FROM landing l WHERE l.run_id = r.id AND l.abandoned_at IS NULL)
        AND NOT EXISTS (SELECT 1 FROM task t WHERE t.run_id = r.id
          AND t.stage IN ('CLAIMED', 'ORPHANED', 'DONE', 'PENDING_APPROVAL'))) FOR UPDATE),
    forgotten AS (DELETE FROM base_verdict b USING held h WHERE b.run_id = h.id)
    UPDATE run r SET base_commit = NULL FROM held h WHERE r.id = h.id RETURNING r.id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;
