import type { FeedEvent } from '@baton/task-store';

/** How often each machine reached each state since this server started. */
export interface EventCounter {
  count(event: FeedEvent): void;
  totals(): Iterable<{ machine: string; to: string; kind: string; total: number }>;
}

/** Makes a counter; states are few, so its memory is bounded. */
export function createEventCounter(): EventCounter {
  const totals = new Map<string, { machine: string; to: string; kind: string; total: number }>();
  return {
    count({ machine, to, kind }) {
      const key = `${machine} ${to} ${kind}`;
      const entry = totals.get(key) ?? { machine, to, kind, total: 0 };
      entry.total += 1;
      totals.set(key, entry);
    },
    totals: () => totals.values(),
  };
}
