import { BatonError } from '@baton/contracts';

import type { Call } from '../terminal/call.ts';
import type { Colors } from '../terminal/colors.ts';
import type { StoreAccess } from '../project/open-store.ts';
import { exitCodes } from '../terminal/render-error.ts';
import { systemClock } from '@baton/service/system';
import { createWaker } from './follow.ts';
import { handleInterrupts } from './interrupt.ts';

/** A view of a run that is looked at again and again. */
export interface Watched<T> {
  look: () => Promise<T>;
  /** What `--json` prints of it. */
  data: (view: T) => unknown;
  render: (view: T, colors: Colors) => string;
  /** Nothing will change any more. */
  isOver: (view: T) => boolean;
}

/** Said in the help of each command that has `--watch`. */
export const watchHelp =
  '\nWith --watch the view is drawn again whenever something moves, until the run is over, Ctrl-C (exit 130) or the output is closed;\nwith --json each change is one object a line.\n';

/**
 * Shows a view until it is over, on one open store: drawn in place on a terminal, else printed when it changes. The store wakes it;
 * a poll is the truth. A database that is away is waited for.
 *
 * @returns the exit code
 */
export async function watchView<T>(
  call: Call,
  access: Pick<StoreAccess, 'store' | 'ensureRunning'>,
  watched: Watched<T>,
): Promise<number> {
  const interrupted = new AbortController();
  const forget = handleInterrupts({
    onFirst: () => interrupted.abort(),
    onSecond: () => process.exit(exitCodes.interrupted),
  });
  const signal = AbortSignal.any([interrupted.signal, call.closed]);
  const waker = createWaker(signal);
  const unlisten = await access.store.feed.onWake('events', waker.wake);
  const draw = await drawing(call, watched);
  try {
    while (!signal.aborted) {
      const startedMs = systemClock.monotonicMs();
      const view = await lookOnce(access, watched);
      if (signal.aborted) break;
      if (view !== null) draw.show(view);
      if (view !== null && watched.isOver(view)) break;
      await waker.wait(systemClock.monotonicMs() - startedMs);
    }
    return interrupted.signal.aborted ? exitCodes.interrupted : exitCodes.ok;
  } finally {
    draw.end();
    forget();
    await unlisten();
  }
}

async function lookOnce<T>(
  access: Pick<StoreAccess, 'ensureRunning'>,
  { look }: Watched<T>,
): Promise<T | null> {
  try {
    await access.ensureRunning();
    return await look();
  } catch (error) {
    if (BatonError.is(error) && error.retryable) return null; // the next look tries again
    throw error;
  }
}

async function drawing<T>(
  call: Call,
  { data, render }: Watched<T>,
): Promise<{ show: (view: T) => void; end: () => void }> {
  const { out, streams } = call;
  const inPlace = streams.stdout.isTTY === true && !out.json;
  const { createLogUpdate } = await import('log-update'); // loaded when needed: a single look draws nothing in place
  const view = inPlace ? createLogUpdate(streams.stdout as Parameters<typeof createLogUpdate>[0]) : null;
  const shown = (seen: T, colors: Colors) => out.hints(render(seen, colors));
  let last = '';
  return {
    show(seen) {
      if (view !== null) return view(out.colors.finish(shown(seen, out.colors)));
      const text = out.json ? JSON.stringify(data(seen)) : shown(seen, out.colors);
      if (text !== last) out.line(data(seen), (colors) => `${last === '' ? '' : '\n'}${shown(seen, colors)}`);
      last = text;
    },
    end: () => view?.done(),
  };
}

/** Whether nothing of a run moves any more. */
export const isRunOver = ({ status }: { status: string }): boolean =>
  ['done', 'failed', 'cancelled'].includes(status);
