import type { AgentEvent, Clock, Usage } from '@baton/contracts';
import { isFree, priceUsage, type Catalog, type Price } from '@baton/router-cost';

/** Usage as an agent reports it. */
export type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;

/** Prices, and the model of usage that names none. */
export interface EventPrices {
  clock: Clock;
  catalog: Catalog;
  model: string | null;
}

/** What an attempt reported of its spending. */
export interface Reported {
  isCommand: boolean;
  /** Why a part of it cannot be counted. */
  faults: ReadonlySet<string>;
  models: ReadonlySet<string | null>;
  /** Micro-dollars that were counted. */
  heard: number;
  /** Micro-dollars that the tokens which came without their cost have as list price. */
  listed: number;
}

/** A cost is no measure below one part in so many of the list price of its tokens. */
const leastShare = 10;
/** More than this for one piece of usage is no price. */
const mostMicroUsd = 1_000_000_000_000;

/** Usage with its price in micro-dollars, and why it cannot be counted. */
export function priceEvent(
  { clock, catalog, model }: EventPrices,
  event: UsageEvent,
): { usage: Usage; costMicroUsd: number; fault: string | null } {
  const usage = { ...event.usage, model: event.usage.model ?? model };
  const price = priceUsage(catalog, usage, { at: clock.now() });
  const fault = faultOf(price);
  const costMicroUsd = fault === null ? (price.costMicroUsd ?? 0) : 0;
  const estimated = price.unknown === true || fault !== null || price.estimated;
  return { usage: { ...usage, estimated }, costMicroUsd, fault };
}

/** List price of tokens whose cost the agent reports apart from them; 0 where the cost is with them or no price is known. */
export function listPriceOf({ clock, catalog, model }: EventPrices, { usage }: UsageEvent): number {
  if (usage.costMicroUsd !== 0) return 0;
  const tokens = { ...usage, model: usage.model ?? model, costMicroUsd: null };
  const price = priceUsage(catalog, tokens, { at: clock.now() });
  return faultOf(price) === null ? (price.costMicroUsd ?? 0) : 0;
}

/** Why what was reported does not measure what was spent; null: it does. Source: docs/budgets.md#what-is-not-measured. */
export function unmeasured(
  { clock, catalog }: Pick<EventPrices, 'clock' | 'catalog'>,
  { isCommand, faults, models, heard, listed }: Reported,
): string | null {
  if (isCommand) return 'A command does not report what it costs.';
  if (faults.size > 0) return [...faults].join(' ');
  const free = [...models].every((each) => isFree(catalog, each, { at: clock.now() }));
  if (heard === 0 && !free) return 'It says that its work cost nothing.';
  return heard * leastShare < listed ? 'It says that its work cost far less than its tokens do.' : null;
}

function faultOf(price: Price): string | null {
  if (price.unknown === true) return price.reason;
  return price.costMicroUsd > mostMicroUsd ? 'It reported more than an agent can spend.' : null;
}
