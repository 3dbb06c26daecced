import type { FeedEvent } from '@baton/task-store';

/** The newest events of the feed, in memory. */
export interface EventWindow {
  /** Position of the last event that was added. */
  readonly head: number;
  add(event: FeedEvent): void;
  /** Drops the oldest events beyond the size of the window. */
  trim(): void;
  /** Events after a position, of one run or of all; null: the window does not reach back that far. */
  after(position: number, runId: string | undefined): FeedEvent[] | null;
}

/** Makes a window of at most `size` events, which begins after the position `start`. */
export function createEventWindow({ start, size }: { start: number; size: number }): EventWindow {
  const events: FeedEvent[] = [];
  /** Events up to here were added; those after `floor` are in the window. */
  let head = start;
  let floor = start;
  return {
    get head() {
      return head;
    },
    add(event) {
      events.push(event);
      head = positionOf(event);
    },
    trim() {
      const cut = events.splice(0, Math.max(0, events.length - size)).at(-1);
      if (cut !== undefined) floor = positionOf(cut);
    },
    after(position, runId) {
      if (position < floor) return null;
      return events.filter(
        (event) => positionOf(event) > position && (runId === undefined || event.runId === runId),
      );
    },
  };
}

/** Position of an event in the feed. */
export function positionOf(event: FeedEvent): number {
  return event.position ?? 0;
}
