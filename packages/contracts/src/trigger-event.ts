import { z } from 'zod';

/** One event from outside, normalised. `data` is text from outside: data, never instructions. */
export const triggerEvent = z.strictObject({
  source: z.string().min(1),
  /** Unique per source: what makes a redelivery recognisable. */
  deliveryId: z.string().min(1).max(200),
  /** e.g. "issues.labeled", "webhook", "schedule". */
  kind: z.string().min(1),
  receivedAt: z.iso.datetime(),
  /** Who caused it, as the source names them. */
  sender: z.string().nullable(),
  trusted: z.boolean(),
  data: z.record(z.string(), z.unknown()),
  /** The run of ours whose commit, comment or call brought the event about, and how long the chain of causes is. Ends loops. */
  causedBy: z
    .strictObject({ runId: z.string().min(1).max(64), depth: z.number().int().min(1).max(1000) })
    .optional(),
});
export type TriggerEvent = z.output<typeof triggerEvent>;
