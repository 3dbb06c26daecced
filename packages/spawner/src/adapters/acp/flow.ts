import type { Readable } from 'node:stream';

/** Requests of an agent that may wait for their answers before it is read on. */
const mostUnanswered = 200;

/**
 * Knows which questions are open between Baton and an agent, and holds back what the agent says while too much of that waits: it would
 * fill the memory of its worker.
 */
export interface Flow {
  /** A request was read. */
  asked(): void;
  /** The agent has taken an answer. */
  answered(): void;
  /** A request is sent to the agent. */
  sent(id: unknown): void;
  /** Whether a request of this id waits for an answer; from then on it does not. */
  takes(id: unknown): boolean;
  /** Nothing is read until there is room; null: there is. */
  await(room: Promise<unknown> | null): void;
}

/**
 * Makes the flow of one agent.
 * @param options.onFree called whenever reading continues
 */
export function flowOf(stdout: Readable, options: { onFree: () => void }): Flow {
  const open = new Set<unknown>();
  let unanswered = 0;
  let isAwaiting = false;
  let isHeld = false;
  const settle = () => {
    const isFull = isAwaiting || unanswered >= mostUnanswered;
    if (isFull === isHeld) return;
    isHeld = isFull;
    if (isHeld) return void stdout.pause();
    options.onFree();
    stdout.resume();
  };
  return {
    asked() {
      unanswered += 1;
      settle();
    },
    answered() {
      unanswered = Math.max(0, unanswered - 1);
      settle();
    },
    sent: (id) => void open.add(id),
    takes: (id) => open.delete(id),
    await(room) {
      if (room === null || isAwaiting) return;
      isAwaiting = true;
      settle();
      const over = () => {
        isAwaiting = false;
        settle();
      };
      room.then(over, over);
    },
  };
}
