import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gitProcessesOfOurs, isAlive } from '../process-table.ts';

const patienceMs = 10_000;
const lookMs = 50;

/** Where git's lock files of dead processes are looked for. */
export interface StaleLocksOptions {
  /** Files and folders (these with all below) in which none but Baton's git takes locks; missing ones are fine. */
  places: readonly string[];
  /** How long a lock must stand still, for places where another's git could come along. */
  standsMs?: number;
}

/**
 * Removes lock files that a killed git of ours left behind: each would refuse its ref or index for ever. One is stale when it is still
 * the same file after every git of ours that lived at the first look has ended; a younger one is another's and stays.
 *
 * @returns The removed files.
 */
export async function removeStaleLocks({ places, standsMs = 0 }: StaleLocksOptions): Promise<string[]> {
  const seen = new Map(places.flatMap(locksIn).map((file) => [file, identity(file)] as const));
  if (seen.size === 0) return [];
  const holders = gitProcessesOfOurs();
  if (standsMs > 0) await delay(standsMs);
  for (let waitedMs = 0; holders.some((holder) => isAlive(holder)); waitedMs += lookMs) {
    if (waitedMs >= patienceMs) return [];
    await delay(lookMs);
  }
  const stale = [...seen].filter(([file, before]) => before !== null && identity(file) === before);
  return stale.map(([file]) => {
    rmSync(file, { force: true });
    return file;
  });
}

function locksIn(place: string): string[] {
  if (place.endsWith('.lock')) return [place];
  try {
    const files = readdirSync(place, { recursive: true, encoding: 'utf8' });
    return files.filter((file) => file.endsWith('.lock')).map((file) => path.join(place, file));
  } catch {
    return [];
  }
}

/** Tells a file from a later one of the same name. */
function identity(file: string): string | null {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat?.isFile() ? `${stat.ino} ${stat.mtimeNs}` : null;
}
