import type { AgentEvent } from '@baton/contracts';
import type { Catalog } from '@baton/router-cost';
import { defaultCostMicroUsd } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { StopReason } from '../context/stop-reason.ts';
import { createBookings, type Overspent } from './bookings.ts';
import { listPriceOf, priceEvent, unmeasured, type EventPrices, type UsageEvent } from './event-prices.ts';

/** Books what one attempt spends as its agent reports it, and stops the agent where the money ends. */
export interface Meter {
  readonly overspent: Overspent;
  /**
   * Before the agent is asked anything: from here on what it spends is unknown until it reports that. False: the attempt has ended, and
   * what was reserved for it may be another's: nothing may be asked.
   */
  begin(): Promise<boolean>;
  /** As soon as it is reported: usage is booked at once, not after the events that came before it. */
  notice(event: AgentEvent): void;
  /** In its turn: waits until the event's usage is booked. @throws what booking it threw */
  hear(event: AgentEvent): Promise<void>;
  /** When the agent is through with the task: says whether all was reported. What was not is booked at its bound. */
  close(options: { spawned: boolean }): Promise<{ measured: boolean }>;
}

type UnmeasuredEvent = Extract<AgentEvent, { type: 'unmeasured' }>;

const smallestReservation = Math.min(...Object.values(defaultCostMicroUsd));

/** What a meter knows of its attempt. */
export interface MeterOptions {
  attemptId: string;
  /** Name of the agent that reviews the attempt; absent: its author spends. */
  reviewer?: string;
  model: string | null;
  isCommand: boolean;
  /** No earlier try has used any of the task's max_cost. */
  isFirst: boolean;
  maxCostMicroUsd: number | null;
  stopFor: (reason: StopReason) => void;
}

type MeterContext = Pick<WorkerContext, 'store' | 'clock'> & { catalog: Catalog };

/**
 * Makes the meter of one attempt. A command reports nothing: it counts as free, or as all of its max_cost where the
 * plan gives one.
 */
export function createMeter(ctx: MeterContext, options: MeterOptions): Meter {
  const { attemptId, reviewer = null, model, isCommand, isFirst, maxCostMicroUsd, stopFor } = options;
  const counts = !isCommand || maxCostMicroUsd !== null;
  const bookings = createBookings(ctx, options);
  const faults = new Set<string>();
  const models = new Set<string | null>();
  let heard = 0;
  /** List price of the tokens that came without their cost. */
  let listed = 0;
  return {
    overspent: bookings.overspent,
    async begin() {
      return !counts || (await ctx.store.streams.openMeter(attemptId, { reviewer }));
    },
    notice(told) {
      const event = told.type === 'unmeasured' ? boundOf(told, { ...ctx, ...options, heard }) : told;
      if (event === null && told.type === 'unmeasured') faults.add(told.reason);
      if (event?.type !== 'usage') return;
      const { usage, costMicroUsd, fault } = priceEvent({ ...ctx, model }, event);
      models.add(usage.model);
      if (fault !== null) faults.add(fault);
      heard += costMicroUsd;
      listed += listPriceOf({ ...ctx, model }, event);
      // Beyond it without any other try: the stop does not wait for the database.
      if (isFirst && maxCostMicroUsd !== null && heard > maxCostMicroUsd) stopFor('max_cost');
      bookings.add({ offset: event.offset, usage, costMicroUsd });
    },
    async hear(event) {
      if (event.type === 'usage' || event.type === 'unmeasured') await bookings.settled();
    },
    async close({ spawned }) {
      if (!counts) return { measured: true };
      const nothing = isCommand ? !spawned : models.size === 0 && faults.size === 0;
      const spent = { isCommand, faults, models, heard, listed };
      const reason = nothing ? null : unmeasured(ctx, spent);
      const measured = reason === null;
      const meter = nothing ? 'none' : measured ? 'measured' : 'unknown';
      await ctx.store.streams.closeMeter(attemptId, { meter, reason });
      return { measured };
    },
  };
}

/** What an agent cannot have spent more than is booked in place of all that it may spend, where that is less and can be priced. */
function boundOf(
  { atMost }: UnmeasuredEvent,
  given: EventPrices & Pick<MeterOptions, 'isFirst' | 'maxCostMicroUsd'> & { heard: number },
): UsageEvent | null {
  if (atMost === undefined) return null;
  const event: UsageEvent = { type: 'usage', ...atMost };
  const { costMicroUsd, fault } = priceEvent(given, event);
  const room = (given.maxCostMicroUsd ?? smallestReservation) - given.heard;
  return fault === null && given.isFirst && costMicroUsd < room ? event : null;
}
