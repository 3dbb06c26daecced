import { prices } from '@baton/contracts';
import { z } from 'zod';

/** An operator's prices: models that the price data lacks, or that cost something else here. */
export const priceOverrides = z.strictObject({
  models: prices.default({}).describe('by model id, with or without "provider/"'),
  aliases: z
    .record(z.string().min(1), z.string().min(1))
    .default({})
    .describe('further names: alias to model id'),
});
/** {@link priceOverrides} as it is written, with its defaults left out. */
export type PriceOverrides = z.input<typeof priceOverrides>;
