import { BatonError } from '@baton/contracts';

/** Calls of one key run at once up to a number; others wait for their turn, up to another. */
export interface Turns {
  /**
   * @throws RATE_LIMITED when too many of the key's calls wait already · DATABASE_INTERRUPTED when those before it are not over in
   *   time: then nothing of it was begun
   */
  take<T>(key: string, call: () => Promise<T>): Promise<T>;
}

/** What one key has under way. */
interface Line {
  running: number;
  waiting: (() => void)[];
}

/**
 * Makes the turns of a server. A key without calls leaves nothing behind.
 * @param limits.waitMs how long a call waits; without end when left out
 */
export function createTurns(limits: { atOnce: number; waiting: number; waitMs?: number }): Turns {
  const { atOnce, waiting, waitMs } = limits;
  const lines = new Map<string, Line>();
  const enter = async (key: string, line: Line): Promise<void> => {
    if (line.running < atOnce) {
      line.running += 1;
      return;
    }
    if (line.waiting.length >= waiting) {
      throw new BatonError('RATE_LIMITED', `${waiting + atOnce} calls of this key are under way already.`, {
        fix: 'Send fewer calls at once and try again.',
      });
    }
    // A call that leaves hands its place on.
    await new Promise<void>((resolve, reject) => {
      let late: NodeJS.Timeout | undefined;
      const begin = () => {
        clearTimeout(late);
        resolve();
      };
      const giveUp = (ms: number) => {
        line.waiting.splice(line.waiting.indexOf(begin), 1);
        reject(tooLate(ms));
      };
      line.waiting.push(begin);
      if (waitMs !== undefined) late = setTimeout(giveUp, waitMs, waitMs);
    });
  };
  const leave = (key: string, line: Line): void => {
    const next = line.waiting.shift();
    if (next !== undefined) next();
    else if ((line.running -= 1) === 0) lines.delete(key);
  };
  return {
    async take(key, call) {
      const line = lines.get(key) ?? { running: 0, waiting: [] };
      lines.set(key, line);
      await enter(key, line);
      try {
        return await call();
      } finally {
        leave(key, line);
      }
    },
  };
}

function tooLate(waitMs: number): BatonError {
  return new BatonError(
    'DATABASE_INTERRUPTED',
    `The calls before this one were not over within ${waitMs / 1000} s; nothing of it was carried out.`,
    {
      fix: 'Repeat the call later. If it happens again, the log of the server and that of Postgres show what holds them up.',
    },
  );
}

/** How many of something one key has open. */
export interface Seats {
  /** @throws RATE_LIMITED when the key has as many as it may */
  open(key: string): { close: () => void };
}

/** Makes the seats of a server, e.g. for live feeds. */
export function createSeats({ each, what }: { each: number; what: string }): Seats {
  const taken = new Map<string, number>();
  return {
    open(key) {
      const now = taken.get(key) ?? 0;
      if (now >= each) {
        throw new BatonError('RATE_LIMITED', `This key has ${each} ${what} open already.`, {
          fix: 'Close one, or share one among those who read.',
        });
      }
      taken.set(key, now + 1);
      let isOpen = true;
      return {
        close() {
          if (!isOpen) return;
          isOpen = false;
          const left = (taken.get(key) ?? 1) - 1;
          if (left === 0) taken.delete(key);
          else taken.set(key, left);
        },
      };
    },
  };
}
