import { setTimeout as delay } from 'node:timers/promises';
import type { ChildEnd } from './child-run.ts';
import { noStreams, offerStreams, type ChildStreams, type StreamsAt } from './child-streams.ts';
import { killTree, sweepMarked } from './kill-tree.ts';
import type { ChildExit, OpenChild, OpenOptions } from './open-child.ts';
import type { ProcessRef } from './process-table.ts';

/** Streams of a child that runs come at once; without them it is of no use. */
const streamsMs = 10_000;

/** Sends an order to a helper. */
interface HelperCall {
  /** `told`: what becomes of it. The child begins only once `begin` says that its streams are connected. */
  order(
    streams: StreamsAt,
    told: { onStarted: (child: ProcessRef) => void; settle: (end: ChildEnd) => void },
  ): { begin: (isConnected: boolean) => void; unwatch: () => void };
}

/**
 * Has a helper start a child whose streams are connected to this process.
 *
 * @returns null when nothing was started, since the helper died or cannot reach the streams
 */
export async function openByHelper(
  helper: HelperCall,
  { marker, onStarted, isUnreferenced }: OpenOptions & { marker: string | undefined },
): Promise<OpenChild | { error: string } | null> {
  const offered = offerStreams({ isUnreferenced });
  const starting = Promise.withResolvers<ProcessRef>();
  const ending = Promise.withResolvers<ChildEnd>();
  const { begin, unwatch } = helper.order(offered.at, {
    onStarted(child) {
      onStarted(child);
      starting.resolve(child);
    },
    settle(end) {
      unwatch();
      ending.resolve(end);
    },
  });
  const connected = withinTime(offered.taken, isUnreferenced).then((streams) => {
    if (streams === null) offered.withdraw();
    begin(streams !== null);
    return streams;
  });
  const begun = await Promise.race([
    starting.promise.then((child) => ({ child })),
    ending.promise.then((end) => ({ end })),
  ]);
  if ('end' in begun) {
    offered.withdraw();
    const { spawnError } = begun.end;
    if (spawnError !== undefined && spawnError !== noStreams) return { error: spawnError };
    // A helper can die between the start of a child and its word about it.
    if (marker !== undefined) await sweepMarked(marker);
    return null;
  }
  const streams = await connected;
  if (streams !== null) return childOf(begun.child, { streams, ended: ending.promise });
  await killTree({ ...begun.child, marker }, { graceMs: 0 });
  return { error: noStreams };
}

function childOf(
  child: ProcessRef,
  { streams: [stdin, stdout, stderr], ended }: { streams: ChildStreams; ended: Promise<ChildEnd> },
): OpenChild {
  const closed = [stdout, stderr].map(
    (stream) => new Promise<void>((resolve) => (stream.closed ? resolve() : stream.once('close', resolve))),
  );
  return {
    ...child,
    ...{ stdin, stdout, stderr },
    exited: ended.then(({ exitCode, signal }): ChildExit => {
      stdin.destroy();
      return { code: exitCode, signal: signal as ChildExit['signal'] };
    }),
    drained: Promise.all(closed).then(() => undefined),
  };
}

/** An agent may run for an hour, and the timer must not. */
async function withinTime(
  taken: Promise<ChildStreams | null>,
  isUnreferenced: boolean | undefined,
): Promise<ChildStreams | null> {
  const over = new AbortController();
  const wait = { signal: over.signal, ref: isUnreferenced !== true };
  const late = delay(streamsMs, null, wait).catch(() => null);
  return Promise.race([taken, late]).finally(() => over.abort());
}
