import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';

/** A holder of another host or container is dead when its beat stays the same for so long. */
const silentSeconds = 20;
const beatMs = 2_000;

const beatOf = (place: string): string => path.join(place, 'beat');

/** Locks that this process holds, by their folders, with the count of beats. */
const held = new Map<string, number>();
let timer: NodeJS.Timeout | undefined;

/** Makes the beat of a lock that is about to be taken. */
export function writeFirstBeat(draft: string): void {
  writeFileSync(beatOf(draft), textOf(0));
}

/** Shows processes elsewhere that this one lives, as long as it has the lock. */
export function beginBeat(place: string): void {
  held.set(place, 0);
  timer ??= setInterval(beatAll, beatMs).unref();
}

/** The lock is no longer this process's. */
export function endBeat(place: string): void {
  held.delete(place);
  if (held.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

function beatAll(): void {
  for (const [place, count] of held) {
    // The folder may have gone, and another's be in its place.
    const now = readBeat(place);
    if (now !== '' ? now !== textOf(count) : !existsSync(beatOf(place))) {
      endBeat(place);
      continue;
    }
    // The file keeps its size: a full disk does not stop the beat.
    try {
      const file = openSync(beatOf(place), 'r+');
      try {
        writeSync(file, textOf(count + 1), 0);
        held.set(place, count + 1);
      } finally {
        closeSync(file);
      }
    } catch {
      // It is tried again with the next beat.
    }
  }
}

const textOf = (count: number): string =>
  `${process.pid}`.padStart(10, '0') + ` ${`${count}`.padStart(10, '0')}\n`;

/** By folder of a lock: the beat that was seen there last, and when it was first seen, by a clock that cannot be set. */
const seen = new Map<string, { beat: string; since: number }>();

/** Whether the beat of a lock has been the same for long, as far as this process saw. Only content is compared, never clocks of files. */
export function isSilent(place: string): boolean {
  const beat = readBeat(place);
  const before = seen.get(place);
  if (before?.beat === beat) return process.uptime() - before.since >= silentSeconds;
  seen.set(place, { beat, since: process.uptime() });
  return false;
}

/** The beat of a lock as it is now; empty where there is none. */
export function readBeat(place: string): string {
  try {
    return readFileSync(beatOf(place), 'latin1');
  } catch {
    return '';
  }
}
