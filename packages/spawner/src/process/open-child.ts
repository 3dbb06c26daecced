import type { Readable, Writable } from 'node:stream';
import { closing, startChild, type ChildOrder } from './child-run.ts';
import type { ChildStreams } from './child-streams.ts';

/** A child that is written to and read from while it runs. */
export interface OpenChild {
  readonly pid: number;
  readonly pidStarted: string | null;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How it ended, as soon as it is gone. */
  readonly exited: Promise<ChildExit>;
  /** When all that it wrote was read. */
  readonly drained: Promise<void>;
}

/** How a child ended. */
export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** What of an order is needed for a child that has neither a time limit nor a bound of its own. */
export type OpenOrder = Pick<ChildOrder, 'file' | 'args' | 'cwd' | 'env' | 'marker'>;

/** What its starter wants of an open child. */
export interface OpenOptions {
  /** Gets the child as soon as there is one. */
  onStarted: (child: { pid: number }) => void;
  /** The child does not keep this process up; its streams do until they are unreferenced, too. */
  isUnreferenced?: boolean | undefined;
}

/** Starts a child from this very process; the outcome of a start that failed is its error code. */
export async function openChild(
  order: OpenOrder,
  { onStarted, isUnreferenced }: OpenOptions,
): Promise<OpenChild | { error: string }> {
  let begun;
  try {
    begun = startChild(order);
  } catch (error) {
    return { error: (error as NodeJS.ErrnoException).code ?? String(error) };
  }
  const { child } = begun;
  if (isUnreferenced) child.unref();
  if (child.pid !== undefined) onStarted({ pid: child.pid });
  const ended = closing(child);
  const started = await begun.started;
  if ('error' in started) return started;
  const [stdin, stdout, stderr] = child.stdio as unknown as ChildStreams;
  return { ...started, ...ended, stdin, stdout, stderr };
}
