import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { Clock, Ids } from '@baton/contracts';

const recordsKept = 200;

/** Where acts are recorded before they are done. */
export interface JournalPlace {
  /** Baton's state folder, absolute. */
  stateDir: string;
  clock: Clock;
  ids: Ids;
}

/** One round of cleaning on record. */
export interface JournalRecord {
  /** Absolute path of the record. */
  file: string;
  /** Notes what was done of it. */
  close(done: readonly unknown[]): void;
}

/** Folder of the records of a state folder. */
export function journalFolder(stateDir: string): string {
  return path.join(stateDir, 'cleaning');
}

/**
 * Records acts durably, with the reason of each, before the first is done. A record that was never closed is of a round that was killed:
 * what it left undone is found and recorded again by the next.
 */
export function recordActs(place: JournalPlace, acts: readonly unknown[]): JournalRecord {
  const folder = journalFolder(place.stateDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const at = place.clock.now().toISOString();
  const file = path.join(folder, `${at.replaceAll(':', '-')}-${place.ids.uuid()}.json`);
  writeDurably(file, { at, acts });
  forgetOld(folder);
  return {
    file,
    close(done) {
      writeDurably(file, { at, closedAt: place.clock.now().toISOString(), acts, done });
    },
  };
}

function writeDurably(file: string, content: unknown): void {
  const draft = `${file}.new`;
  const opened = openSync(draft, 'w', 0o600);
  try {
    writeSync(opened, `${JSON.stringify(content, null, 2)}\n`);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
  renameSync(draft, file);
  const folder = openSync(path.dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function forgetOld(folder: string): void {
  const records = readdirSync(folder).filter((name) => name.endsWith('.json'));
  for (const name of records.sort().slice(0, -recordsKept)) rmSync(path.join(folder, name), { force: true });
}
