import { z } from 'zod';
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

/** $1: source, $2: delivery id, $3: data of an event as JSON. Whether what was accepted under the id holds other data. */
export const selectDeliveryDiffers = {
  name: 'select-delivery-differs',
  text: `SELECT event -> 'data' IS DISTINCT FROM $3::jsonb AS differs FROM trigger_delivery WHERE source = $1 AND delivery_id = $2`,
  row: z.object({ differs: z.boolean() }),
  readonly: true,
} satisfies Statement;
