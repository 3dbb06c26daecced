import { deliveryRow } from '../db/rows.ts';
import type { Statement } from '../db/statement.ts';

/** $1: the last one of the page before or null, $2: limit. Newest first, without what was delivered. */
export const selectDeliveries = {
  name: 'select-deliveries',
  text: `SELECT id, source, delivery_id, kind, received_at, task_ids FROM trigger_delivery
    WHERE $1::uuid IS NULL OR (received_at, id) < (SELECT c.received_at, c.id FROM trigger_delivery c WHERE c.id = $1)
    ORDER BY received_at DESC, id DESC LIMIT $2::int`,
  row: deliveryRow,
  readonly: true,
} satisfies Statement;
