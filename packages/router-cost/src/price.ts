import type { Usage } from '@baton/contracts';
import { calcPrice, type PriceCalculation } from '@pydantic/genai-prices';
import { findModel, type Catalog } from './catalog.ts';
import { checkMicroUsd, checkMoment, checkTokens } from './money.ts';

/** What some usage cost, or why that is unknown. */
export type Price =
  | { costMicroUsd: number; estimated: boolean; unknown?: never }
  | { unknown: true; reason: string; costMicroUsd?: never };

/** When no time of use is given, prices are those of this instant, shortly after the price data was made. */
const pricesAsOf = new Date(Date.UTC(2026, 10, 21, 12));

/**
 * Prices usage in integer micro-dollars. A cost that the agent reported itself is kept; otherwise the tokens are priced
 * by the catalogue, rounded up, so that the sum of many small pieces never falls below the bill.
 *
 * `estimated` is set when the usage says so, or when a long-context price applied: a stretch of several calls may then
 * have been cheaper than its sum of tokens suggests.
 *
 * @param options.at time of use: prices change with dates and times of day
 * @returns `{ unknown: true }` for a model without a price, and for a cost beyond safe integers; never zero instead
 * @throws INVALID_INPUT for usage or a time that cannot be
 */
export function priceUsage(catalog: Catalog, usage: Usage, options: { at?: Date } = {}): Price {
  checkUsage(usage);
  if (options.at !== undefined) checkMoment(options.at, 'at');
  if (usage.costMicroUsd !== null) return { costMicroUsd: usage.costMicroUsd, estimated: usage.estimated };
  if (usage.model === null) return { unknown: true, reason: 'The agent did not say which model it used.' };
  const model = findModel(catalog, usage.model);
  if (!model.known) return { unknown: true, reason: `No price is known for the model "${usage.model}".` };
  const inputTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const tokens = {
    input_tokens: inputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
  };
  const timestamp = options.at ?? pricesAsOf;
  const result = calcPrice(tokens, model.id, { provider: model.pricing, timestamp });
  if (result === null || !covers(result, { inputTokens, outputTokens: usage.outputTokens })) {
    return { unknown: true, reason: `No price per token is known for the model "${usage.model}".` };
  }
  const costMicroUsd = toMicroUsd(result);
  if (!Number.isSafeInteger(costMicroUsd))
    return {
      unknown: true,
      reason: `What the model "${usage.model}" reported costs more than can be counted.`,
    };
  return { costMicroUsd, estimated: usage.estimated || crossesTier(result, inputTokens) };
}

function checkUsage(usage: Usage): void {
  if (usage.costMicroUsd !== null) checkMicroUsd(usage.costMicroUsd, 'costMicroUsd');
  for (const kind of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const)
    checkTokens(usage[kind], kind);
}

/** Whether {@link priceUsage} could price input and output of this model. */
export function hasPrice(catalog: Catalog, model: string, options: { at?: Date } = {}): boolean {
  const usage = { model, inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return (
    priceUsage(catalog, { ...usage, costMicroUsd: null, estimated: false }, options).unknown === undefined
  );
}

/** Whether the catalogue says that this model costs nothing: only then is a cost of zero believed. */
export function isFree(catalog: Catalog, model: string | null, options: { at?: Date } = {}): boolean {
  const usage = {
    model,
    inputTokens: 1_000_000,
    outputTokens: 1_000_000,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
  return priceUsage(catalog, { ...usage, costMicroUsd: null, estimated: false }, options).costMicroUsd === 0;
}

/** The calculator counts tokens of a kind without a price as free; here that is "unknown". */
function covers(result: PriceCalculation, tokens: { inputTokens: number; outputTokens: number }): boolean {
  const { input_mtok: input, output_mtok: output } = result.model_price;
  if (input === undefined && output === undefined) return false;
  return (
    (tokens.inputTokens === 0 || input !== undefined) && (tokens.outputTokens === 0 || output !== undefined)
  );
}

function crossesTier(result: PriceCalculation, inputTokens: number): boolean {
  return Object.values(result.model_price).some(
    (price) => typeof price === 'object' && price.tiers.some((tier) => inputTokens > tier.start),
  );
}

function toMicroUsd(result: PriceCalculation): number {
  // Six decimals of a micro-dollar: more than any price has, less than what floating point gets wrong.
  return Math.ceil(Number((result.total_price * 1_000_000).toFixed(6)));
}
