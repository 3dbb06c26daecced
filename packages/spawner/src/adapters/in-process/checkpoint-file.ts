import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { printCheckpoint, readCheckpointLog, type Checkpoint } from '@baton/fsm-core';

/** A task's checkpoint log in a file, one checkpoint a line. */
export interface CheckpointFile {
  /** What was kept so far. */
  read(): Checkpoint[];
  /** Appends one; it is on the disk when this returns. */
  append(checkpoint: Checkpoint): void;
  remove(): void;
}

/**
 * Opens the log of a task. A last line that a crash cut off is taken away first.
 *
 * @param file Absolute path; null: nothing outlives the process.
 * @throws CheckpointLogError for an unreadable line that is not the last
 */
export function openCheckpointFile(file: string | null): CheckpointFile {
  if (file === null) return inMemory();
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const { torn, intact } = readCheckpointLog(textOf(file));
  if (torn) writeFileSync(file, intact, { mode: 0o600 });
  return {
    read: () => [...readCheckpointLog(textOf(file)).checkpoints],
    append(checkpoint) {
      const opened = openSync(file, 'a', 0o600);
      try {
        writeSync(opened, printCheckpoint(checkpoint));
        fsyncSync(opened);
      } finally {
        closeSync(opened);
      }
    },
    remove: () => rmSync(file, { force: true }),
  };
}

function inMemory(): CheckpointFile {
  const kept: Checkpoint[] = [];
  return {
    read: () => [...kept],
    append: (checkpoint) => void kept.push(checkpoint),
    remove: () => undefined,
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
