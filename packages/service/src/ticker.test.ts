import type { Log } from '@baton/contracts';
import { expect, test, vi } from 'vitest';
import { startTicker } from './ticker.ts';

/** A log that keeps what it is given, and a ticker whose runs the test ends one by one. */
function rig() {
  const lines: string[] = [];
  const log: Log = {
    info: (text) => void lines.push(`info ${text}`),
    warn: (text) => void lines.push(`warn ${text}`),
    error: (text) => void lines.push(`error ${text}`),
  };
  const begun: PromiseWithResolvers<undefined>[] = [];
  let wanted = Promise.withResolvers<undefined>();
  const ticker = startTicker('upkeep', {
    everyMs: 1,
    log,
    run() {
      const one = Promise.withResolvers<undefined>();
      begun.push(one);
      wanted.resolve(undefined);
      return one.promise;
    },
  });
  return {
    lines,
    ticker,
    begun,
    /** Ends the run that is going on, and waits until the next has begun. */
    async next(failure?: Error) {
      wanted = Promise.withResolvers();
      if (failure === undefined) begun.at(-1)?.resolve(undefined);
      else begun.at(-1)?.reject(failure);
      await wanted.promise;
    },
  };
}

test('a run begins only after the end of the one before, however often it is woken', async () => {
  const { ticker, begun, next } = rig();
  ticker.wake();
  ticker.wake();
  expect(begun).toHaveLength(1);
  await next();
  expect(begun).toHaveLength(2);
  begun.at(-1)?.resolve(undefined);
  await ticker.stop();
});

test('all that ask for a run soon get one, unless one comes before', async () => {
  vi.useFakeTimers();
  let runs = 0;
  const count = () => Promise.resolve(void (runs += 1));
  const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const ticker = startTicker('upkeep', { everyMs: 60_000, log, run: count });
  await vi.advanceTimersByTimeAsync(0);
  ticker.soon(1_000);
  await vi.advanceTimersByTimeAsync(600);
  ticker.soon(1_000);
  expect(runs).toBe(1);
  await vi.advanceTimersByTimeAsync(400);
  expect(runs).toBe(2);
  ticker.soon(1_000);
  ticker.wake();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(runs).toBe(3);
  ticker.soon(1_000);
  await ticker.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(runs).toBe(3);
  vi.useRealTimers();
});

test('of failures in a row each new cause is logged once, then the recovery', async () => {
  const { ticker, begun, lines, next } = rig();
  await next(new Error('no database'));
  await next(new Error('no database'));
  await next(new Error('no disk'));
  await next();
  const failed = 'warn upkeep failed; it will be tried again';
  expect(lines).toEqual([failed, failed, 'info upkeep works again']);
  begun.at(-1)?.resolve(undefined);
  await ticker.stop();
});

test('what runs once an hour is not tried more often while it fails', async () => {
  vi.useFakeTimers();
  try {
    let runs = 0;
    const run = () => {
      runs += 1;
      return Promise.reject(new Error('no disk'));
    };
    const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const ticker = startTicker('upkeep', { everyMs: 3_600_000, log, run });
    await vi.advanceTimersByTimeAsync(3_599_000);
    expect(runs).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(runs).toBe(2);
    await ticker.stop();
  } finally {
    vi.useRealTimers();
  }
});

test('no run begins after stop, which waits for the one in progress', async () => {
  const { ticker, begun } = rig();
  let stopped = false;
  const stop = ticker.stop().then(() => (stopped = true));
  expect(stopped).toBe(false);
  begun.at(-1)?.resolve(undefined);
  await stop;
  ticker.wake();
  expect(begun).toHaveLength(1);
});
