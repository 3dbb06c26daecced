import type { Usage } from '@baton/contracts';
import type { WorkerContext } from '../context/context.ts';
import type { StopReason } from '../context/stop-reason.ts';

/** Whether a try went beyond what it may cost. */
export interface Overspent {
  /** All tries of the task cost more than its max_cost. */
  maxCost: boolean;
  /** The run spent more than its budget. */
  cap: boolean;
}

/** Usage with its price, as it is booked. */
interface Entry {
  offset: number;
  usage: Usage;
  costMicroUsd: number;
}

/** Books the usage of one attempt in the store, in the order in which it is added. */
export interface Bookings {
  readonly overspent: Overspent;
  add(entry: Entry): void;
  /** Waits until all that was added is booked. @throws what booking it threw */
  settled(): Promise<void>;
}

/** Makes the bookings of one attempt; its agent is stopped when the store says that the money ends. */
export function createBookings(
  ctx: Pick<WorkerContext, 'store'>,
  options: { attemptId: string; reviewer?: string; stopFor: (reason: StopReason) => void },
): Bookings {
  const { attemptId, reviewer = null, stopFor } = options;
  const overspent = { maxCost: false, cap: false };
  const waiting: Entry[] = [];
  let booked: Promise<void> = Promise.resolve();
  const bookNext = async (): Promise<void> => {
    const entry = takeNext(waiting);
    if (entry === null) return;
    const answer = await ctx.store.streams.recordUsage({ attemptId, reviewer, ...entry });
    overspent.maxCost = answer.maxCostExceeded;
    overspent.cap = answer.capExceeded;
    if (answer.maxCostReached) stopFor('max_cost');
    else if (answer.capReached) stopFor('budget');
  };
  return {
    overspent,
    add(entry) {
      waiting.push(entry);
      booked = booked.then(bookNext);
      // It is thrown where the event has its turn.
      booked.catch(() => undefined);
    },
    settled: () => booked,
  };
}

/** Takes the oldest of what waits with all that can be added to it: agents may report faster than a database writes. */
function takeNext(waiting: Entry[]): Entry | null {
  const first = waiting.shift();
  if (first === undefined) return null;
  let entry = first;
  for (let [next] = waiting; next?.usage.model === first.usage.model; [next] = waiting) {
    entry = addEntries(entry, next);
    waiting.shift();
  }
  return entry;
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
