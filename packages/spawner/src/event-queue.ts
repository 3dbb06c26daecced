import type { AgentEvent } from '@baton/contracts';
import type { TaskHandlers } from './agent-adapter.ts';

/** Hands events to a handler in order, one at a time, with secrets taken out. */
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
  const handle = async (event: AgentEvent) => {
    if (!broken.signal.aborted) await handlers.onEvent?.(redactEvent(event, redact));
  };
  return {
    push(event) {
      handlers.onTold?.(redactEvent(event, redact));
      waiting += 1;
      last = last
        .then(() => handle(event))
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
