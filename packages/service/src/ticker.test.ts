import type { Log } from '@baton/contracts';
import { expect, test } from 'vitest';
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

test('of failures in a row the first is logged, then the recovery', async () => {
  const { ticker, begun, lines, next } = rig();
  await next(new Error('no database'));
  await next(new Error('no database'));
  await next();
  expect(lines).toEqual(['warn upkeep failed; it will be tried again', 'info upkeep works again']);
  begun.at(-1)?.resolve(undefined);
  await ticker.stop();
});

test('no run begins after stop, which waits for the one that is going on', async () => {
  const { ticker, begun } = rig();
  let stopped = false;
  const stop = ticker.stop().then(() => (stopped = true));
  expect(stopped).toBe(false);
  begun.at(-1)?.resolve(undefined);
  await stop;
  ticker.wake();
  expect(begun).toHaveLength(1);
});
