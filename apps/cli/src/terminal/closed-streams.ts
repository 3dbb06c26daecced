import { setImmediate } from 'node:timers/promises';

import type { Streams } from './output.ts';

/** What a reader that went away, and a terminal that was closed, answer to a write. */
const readerGone = new Set([
  'EPIPE',
  'EIO',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** What became of the streams that a command writes to. */
export interface StreamFate {
  /** Aborted once the reader of stdout is gone (`baton logs -f | head`). */
  readonly closed: AbortSignal;
  /** The first error of a stream that is still wanted, such as a full disk behind it; null: none. */
  failure(): string | null;
}

/**
 * Lets a command finish when the reader of its output is gone: what it would still say is dropped, and what it does is
 * done to its end. A command that only prints asks `closed`.
 */
export function watchStreams({ stdout, stderr }: Pick<Streams, 'stdout' | 'stderr'>): StreamFate {
  const gone = new AbortController();
  let failed: string | null = null;
  const hear = (name: 'stdout' | 'stderr') => (error: NodeJS.ErrnoException) => {
    if (!readerGone.has(error.code ?? ''))
      failed ??= `${name} cannot be written (${error.code ?? error.message})`;
    if (name === 'stdout') gone.abort();
  };
  stdout.on('error', hear('stdout'));
  stderr.on('error', hear('stderr'));
  return { closed: gone.signal, failure: () => failed };
}

/**
 * The exit code of what has printed: an answer that could not be written is no success, and stderr says so.
 *
 * @param exitCode what it would be otherwise
 */
export async function codeOfPrinted(
  exitCode: number,
  { fate, stderr }: { fate: StreamFate; stderr: Streams['stderr'] },
): Promise<number> {
  // A write that failed says so in the next turn of the event loop.
  await setImmediate();
  const unsaid = fate.failure();
  if (unsaid === null) return exitCode;
  stderr.write(`error: ${unsaid}\n`);
  return Math.max(exitCode, 1);
}
