import type { AgentEvent, Usage } from '@baton/contracts';
import type { Catalog } from '@baton/router-cost';
import { defaultCostMicroUsd } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { StopReason } from '../context/stop-reason.ts';
import { listPriceOf, priceEvent, unmeasured, type UsageEvent } from './event-prices.ts';

/** Whether a try went beyond what it may cost. */
export interface Overspent {
  /** All tries of the task cost more than its max_cost. */
  maxCost: boolean;
  /** The run spent more than its budget. */
  cap: boolean;
}

/** Books what one attempt spends as it is told, and stops its agent where the money ends. */
export interface Meter {
  readonly overspent: Overspent;
  /** Before the agent is asked anything: from here on what it spends is unknown until it is told. */
  begin(): Promise<void>;
  /** As soon as it is told: usage is booked at once, not after the events that came before it. */
  notice(event: AgentEvent): void;
  /** In its turn: waits until what it tells is booked. @throws what booking it threw */
  hear(event: AgentEvent): Promise<void>;
  /** When the agent is through with the task: says whether all was told. What is not is booked at its bound. */
  close(options: { spawned: boolean }): Promise<{ measured: boolean }>;
}

type UnmeasuredEvent = Extract<AgentEvent, { type: 'unmeasured' }>;

/** Usage with its price, as it is booked. */
interface Entry {
  offset: number;
  usage: Usage;
  costMicroUsd: number;
}

const smallestReservation = Math.min(...Object.values(defaultCostMicroUsd));

/** Makes the meter of one attempt. A command tells nothing: it counts as free, or as all of its max_cost where the plan gives one. */
export function createMeter(
  ctx: Pick<WorkerContext, 'store' | 'clock'> & { catalog: Catalog },
  {
    attemptId,
    model,
    isCommand,
    isFirst,
    maxCostMicroUsd,
    stopFor,
  }: {
    attemptId: string;
    model: string | null;
    isCommand: boolean;
    /** No earlier try has used any of the task's max_cost. */
    isFirst: boolean;
    maxCostMicroUsd: number | null;
    stopFor: (reason: StopReason) => void;
  },
): Meter {
  const counts = !isCommand || maxCostMicroUsd !== null;
  const faults = new Set<string>();
  const models = new Set<string | null>();
  const overspent = { maxCost: false, cap: false };
  const waiting: Entry[] = [];
  let heard = 0;
  /** List price of the tokens that came without their cost. */
  let listed = 0;
  let booked: Promise<void> = Promise.resolve();

  const priced = (event: UsageEvent) => priceEvent({ ...ctx, model }, event);

  /** Books the oldest of what waits with all that can be added to it: agents may report faster than a database writes. */
  const bookNext = async (): Promise<void> => {
    const first = waiting.shift();
    if (first === undefined) return;
    let entry = first;
    for (let [next] = waiting; next?.usage.model === first.usage.model; [next] = waiting) {
      entry = addEntries(entry, next);
      waiting.shift();
    }
    const answer = await ctx.store.streams.recordUsage({ attemptId, ...entry });
    overspent.maxCost = answer.maxCostExceeded;
    overspent.cap = answer.capExceeded;
    if (answer.maxCostReached) stopFor('max_cost');
    else if (answer.capReached) stopFor('budget');
  };

  /** What an agent cannot have spent more than is booked in place of all that it may spend, where that is less and can be priced. */
  const boundOf = ({ atMost }: UnmeasuredEvent): UsageEvent | null => {
    if (atMost === undefined) return null;
    const event: UsageEvent = { type: 'usage', ...atMost };
    const { costMicroUsd, fault } = priced(event);
    const room = (maxCostMicroUsd ?? smallestReservation) - heard;
    return fault === null && isFirst && costMicroUsd < room ? event : null;
  };

  return {
    overspent,
    async begin() {
      if (counts) await ctx.store.streams.openMeter(attemptId);
    },
    notice(told) {
      const event = told.type === 'unmeasured' ? boundOf(told) : told;
      if (event === null && told.type === 'unmeasured') faults.add(told.reason);
      if (event?.type !== 'usage') return;
      const { usage, costMicroUsd, fault } = priced(event);
      models.add(usage.model);
      if (fault !== null) faults.add(fault);
      heard += costMicroUsd;
      listed += listPriceOf({ ...ctx, model }, event);
      // Beyond it without any other try: the stop does not wait for the database.
      if (isFirst && maxCostMicroUsd !== null && heard > maxCostMicroUsd) stopFor('max_cost');
      waiting.push({ offset: event.offset, usage, costMicroUsd });
      booked = booked.then(bookNext);
      // It is thrown where the event has its turn.
      booked.catch(() => undefined);
    },
    async hear(event) {
      if (event.type === 'usage' || event.type === 'unmeasured') await booked;
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

/** Both as one, at the place of the later. */
function addEntries(one: Entry, next: Entry): Entry {
  const [a, b] = [one.usage, next.usage];
  const cost = (usage: Usage, { costMicroUsd }: Entry) => usage.costMicroUsd ?? costMicroUsd;
  return {
    offset: next.offset,
    costMicroUsd: one.costMicroUsd + next.costMicroUsd,
    usage: {
      model: b.model,
      inputTokens: a.inputTokens + b.inputTokens,
      outputTokens: a.outputTokens + b.outputTokens,
      cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
      cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
      costMicroUsd: cost(a, one) + cost(b, next),
      estimated: a.estimated || b.estimated,
    },
  };
}
