import type { Socket } from 'node:net';
import { closing, runChild, startChild, type ChildEnd, type ChildOrder } from './child-run.ts';
import { noStreams, takeStreams, type StreamsAt } from './child-streams.ts';
import type { OpenOrder } from './open-child.ts';
import { processStart } from './process-table.ts';

/*
 * A small process of its own that starts programs for the Baton process that started it, and ends with it. What still runs then is ended by
 * the reaper, or runs to its own end if it has to.
 */

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

type Asked =
  | 'alive?'
  | { id: number; order: ChildOrder; streams?: undefined }
  | { id: number; order: OpenOrder; streams: StreamsAt }
  | { id: number; begin: boolean }
  | { id: number; abort: true };

const parent = process.ppid;
const aborts = new Map<number, AbortController>();
/** Children that wait for the word that the Baton process has their streams. */
const waiting = new Map<number, (isConnected: boolean) => void>();

process.on('message', (asked: Asked) => {
  if (asked === 'alive?') tell('alive');
  else if ('abort' in asked) aborts.get(asked.id)?.abort();
  else if ('begin' in asked) waiting.get(asked.id)?.(asked.begin);
  // What comes after its sender died must not begin.
  else if (process.ppid === parent)
    void (asked.streams === undefined ? start(asked) : open(asked, asked.streams));
});
process.send?.('ready');

async function start({ id, order }: { id: number; order: ChildOrder }): Promise<void> {
  const over = new AbortController();
  aborts.set(id, over);
  const end = await runChild(order, { signal: over.signal, onStarted: ({ pid }) => tellStart(id, pid) });
  aborts.delete(id);
  tell({ id, end });
}

/**
 * Starts a child whose streams are those of the Baton process; what it does is that one's to watch. It begins once that process has all of
 * them: where that can open no more files, its end of a stream is closed at once, and nothing would read what the child prints.
 */
async function open({ id, order }: { id: number; order: OpenOrder }, streams: StreamsAt): Promise<void> {
  const begins = new Promise<boolean>((resolve) => waiting.set(id, resolve));
  const ends = await takeStreams(streams).catch(() => null);
  const isConnected = ends !== null && (await Promise.race([begins, lost(ends)]));
  waiting.delete(id);
  if (!isConnected) {
    for (const end of ends ?? []) end.destroy();
    return tell({ id, end: endOf({ spawnError: noStreams }) });
  }
  try {
    if (process.ppid !== parent) return;
    const { child, started } = startChild(order, ends);
    if (child.pid !== undefined) tellStart(id, child.pid);
    const { exited } = closing(child);
    const begun = await started;
    if ('error' in begun) return tell({ id, end: endOf({ spawnError: begun.error }) });
    for (const end of ends) end.destroy();
    const { code, signal } = await exited;
    tell({ id, end: endOf({ exitCode: code, signal }) });
  } catch (error) {
    tell({ id, end: endOf({ spawnError: (error as NodeJS.ErrnoException).code ?? String(error) }) });
  } finally {
    for (const end of ends) end.destroy();
  }
}

/** Resolves, with false, once the other side of a stream is closed. */
function lost(ends: readonly Socket[]): Promise<false> {
  return new Promise((resolve) => {
    for (const end of ends) end.once('close', () => resolve(false)).resume();
  });
}

function endOf(end: Partial<ChildEnd>): ChildEnd {
  return {
    ...{ exitCode: null, signal: null, timedOut: false, aborted: false },
    ...{ stdout: '', stderr: '', truncated: false },
    ...end,
  };
}

function tellStart(id: number, pid: number): void {
  tell({ id, pid, pidStarted: processStart(pid) });
}

function tell(message: object | string): void {
  if (process.connected) process.send?.(message, () => undefined);
}
