import type { AgentEvent } from '@baton/contracts';
import type { TaskHandlers } from './handlers.ts';

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;

/**
 * Hands events to a handler in order, one at a time, with secrets taken out. Reports of usage that wait behind one another
 * become one: an agent can report faster than anything can be written.
 */
export interface EventQueue {
  push(event: AgentEvent): void;
  /** How many events wait. */
  readonly waiting: number;
  /** Resolves when every event so far was handled. @throws what a handler threw */
  drain(): Promise<void>;
  /** Aborted as soon as a handler throws. */
  readonly broken: AbortSignal;
}

/** Makes a queue in front of a caller's handlers. */
export function eventQueue({
  handlers,
  redact,
}: {
  handlers: TaskHandlers;
  redact: (text: string) => string;
}): EventQueue {
  const broken = new AbortController();
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  /** The newest event that waits, where it is a report of usage. */
  let tail: { event: UsageEvent } | null = null;
  const handle = async (event: AgentEvent) => {
    if (!broken.signal.aborted) await handlers.onEvent?.(redactEvent(event, redact));
  };
  return {
    push(event) {
      handlers.onTold?.(redactEvent(event, redact));
      const sum = tail !== null && event.type === 'usage' ? sumOf(tail.event, event) : null;
      if (tail !== null && sum !== null) {
        tail.event = sum;
        return;
      }
      const place = { event };
      tail = event.type === 'usage' ? (place as { event: UsageEvent }) : null;
      waiting += 1;
      last = last
        .then(() => {
          if (tail === place) tail = null;
          return handle(place.event);
        })
        .catch((error: unknown) => broken.abort(error ?? new Error('an event handler failed')))
        .finally(() => {
          waiting -= 1;
        });
    },
    get waiting() {
      return waiting;
    },
    async drain() {
      await last;
      if (broken.signal.aborted) throw broken.signal.reason;
    },
    broken: broken.signal,
  };
}

/** Both as one report, at the place of the later; null where they are of different models or kinds. */
function sumOf(one: UsageEvent, next: UsageEvent): UsageEvent | null {
  const [a, b] = [one.usage, next.usage];
  const isAlike =
    a.model === b.model &&
    a.estimated === b.estimated &&
    (a.costMicroUsd === null) === (b.costMicroUsd === null);
  if (!isAlike) return null;
  return {
    ...next,
    usage: {
      ...b,
      inputTokens: a.inputTokens + b.inputTokens,
      outputTokens: a.outputTokens + b.outputTokens,
      cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
      cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
      costMicroUsd: b.costMicroUsd === null ? null : (a.costMicroUsd ?? 0) + b.costMicroUsd,
    },
  };
}

function redactEvent(event: AgentEvent, redact: (text: string) => string): AgentEvent {
  return { ...redactStrings(event, redact), type: event.type } as AgentEvent;
}

/** The same value with secrets taken out of every text in it. */
export function redactStrings<T>(value: T, redact: (text: string) => string): T {
  const clean = (inner: unknown): unknown => {
    if (typeof inner === 'string') return redact(inner);
    if (Array.isArray(inner)) return inner.map(clean);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, clean(one)]));
  };
  return clean(value) as T;
}
