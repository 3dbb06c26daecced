import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: delivery and its tasks as JSON */
export const acceptDeliveryStatement = {
  name: 'accept-delivery',
  text: 'SELECT baton_accept_delivery($1::jsonb) AS answer',
  row: z.object({
    answer: z.object({ duplicate: z.boolean(), overtaken: z.boolean(), taskIds: z.array(z.string()) }),
  }),
  readonly: false,
} satisfies Statement;
