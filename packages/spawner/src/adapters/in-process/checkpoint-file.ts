import { appendFileSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { printCheckpoint, readCheckpointLog, type Checkpoint } from '@baton/fsm-core';

/** A task's checkpoint log in a file, one checkpoint a line. */
export interface CheckpointFile {
  /** What was kept so far. */
  read(): Checkpoint[];
  /** Appends one; it is on the disk when this returns. */
  append(checkpoint: Checkpoint): void;
}

/**
 * Opens the log of a task. A last line that a crash cut off is taken away first; what is whole is never written again.
 *
 * @param file Absolute path; null: nothing outlives the process.
 * @throws CheckpointLogError for an unreadable line that is not the last
 */
export function openCheckpointFile(file: string | null): CheckpointFile {
  if (file === null) return inMemory();
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  mendEnd(file);
  return {
    read: () => [...readCheckpointLog(textOf(file)).checkpoints],
    append: (checkpoint) => appendFileSync(file, printCheckpoint(checkpoint), { mode: 0o600, flush: true }),
  };
}

/** Truncates a last line that was never acknowledged: one that cannot be read, or lacks its end. In place: a copy could be cut off as well. */
function mendEnd(file: string): void {
  const text = textOf(file);
  const { intact } = readCheckpointLog(text.slice(0, text.lastIndexOf('\n') + 1));
  if (intact.length < text.length) truncateSync(file, Buffer.byteLength(intact));
}

function inMemory(): CheckpointFile {
  const kept: Checkpoint[] = [];
  return {
    read: () => [...kept],
    append: (checkpoint) => void kept.push(checkpoint),
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
