import type { Checkpoint } from './checkpoint.ts';

/** A line inside a checkpoint log that cannot be read; only the last one may be torn. */
export class CheckpointLogError extends Error {
  override readonly name: string = 'CheckpointLogError';
  /** From 1. */
  readonly line: number;
  /** The way out. */
  readonly fix: string = 'Restore the log from a copy, or cut it before this line.';

  constructor(line: number, options?: ErrorOptions) {
    super(
      `line ${line} of the checkpoint log cannot be read. Restore the log from a copy, or cut it there.`,
      options,
    );
    this.line = line;
  }
}

/** A log as read. */
export interface CheckpointLog {
  readonly checkpoints: readonly Checkpoint[];
  /** What the log should hold before the next line is appended: without a torn last line, ended by a line feed. */
  readonly intact: string;
  readonly torn: boolean;
}

const KINDS = new Set(['full', 'delta', 'reflection']);

function parseLine(text: string): Checkpoint {
  const value = JSON.parse(text) as unknown;
  const { kind, taskId, transition } = (value ?? {}) as Partial<Record<string, unknown>>;
  const carriesMove = kind === 'reflection' || (typeof transition === 'object' && transition !== null);
  if (KINDS.has(String(kind)) && typeof taskId === 'string' && carriesMove) return value as Checkpoint;
  throw new SyntaxError('not a checkpoint');
}

/** Prints a checkpoint as one line of a log, line feed included. */
export function printCheckpoint(checkpoint: Checkpoint): string {
  return `${JSON.stringify(checkpoint)}\n`;
}

/**
 * Reads a log of one checkpoint a line. A last line that a crash cut off is left out and reported as `torn`.
 *
 * @throws CheckpointLogError for an unreadable line that is not the last
 */
export function readCheckpointLog(text: string): CheckpointLog {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const checkpoints: Checkpoint[] = [];
  const kept: string[] = [];
  let torn = false;
  for (const [at, line] of lines.entries()) {
    try {
      checkpoints.push(parseLine(line));
      kept.push(`${line}\n`);
    } catch (cause) {
      if (at < lines.length - 1) throw new CheckpointLogError(at + 1, { cause });
      torn = true;
    }
  }
  return { checkpoints, intact: kept.join(''), torn };
}
