import { z } from 'zod';

const usdPerMillion = z.number().nonnegative().max(100_000);

/** An operator's prices: models that the price data lacks, or that cost something else here. */
export const priceOverrides = z.strictObject({
  models: z
    .record(
      z.string().min(1),
      z.strictObject({
        input: usdPerMillion.describe('US dollars per million input tokens'),
        output: usdPerMillion.describe('US dollars per million output tokens'),
        cache_read: usdPerMillion.optional().describe('per million tokens read from a cache; default: input'),
        cache_write: usdPerMillion
          .optional()
          .describe('per million tokens written to a cache; default: input'),
        context: z.number().int().positive().optional().describe('size of the context window in tokens'),
      }),
    )
    .default({})
    .describe('by model id, with or without "provider/"'),
  aliases: z
    .record(z.string().min(1), z.string().min(1))
    .default({})
    .describe('further names: alias to model id'),
});
/** {@link priceOverrides} as it is written, with its defaults left out. */
export type PriceOverrides = z.input<typeof priceOverrides>;
