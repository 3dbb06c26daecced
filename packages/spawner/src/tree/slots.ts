import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '@baton/contracts';
import { tryFileLock, type FileLock } from '../process/file-lock.ts';
import { isStuck, retireSlot, retiredReason, unusable } from './retire-slot.ts';

/** A folder of a pool that this process holds. */
export interface TakenSlot {
  slot: string;
  lock: FileLock;
}

/** Name of the folder of a pool whose slots hold the work of agents. */
export const agentPool = 'agent';

/** Slots that are retired for one wish; more say that the cause is none of theirs. */
const mostRetired = 3;

/**
 * Works in the first slot that is free. One that cannot be cleared is retired, and the work begins in another.
 *
 * @param options.work Releases the lock when it fails.
 * @throws WORKSPACE_FAILED when one slot after the other cannot be cleared; what `work` throws
 */
export async function inSlot<T>(
  folder: string,
  { log, work }: { log: Log; work: (taken: TakenSlot) => Promise<T> },
): Promise<T> {
  for (let retired = 1; ; retired += 1) {
    const taken = firstFree(folder, log);
    try {
      return await work(taken);
    } catch (cause) {
      if (!isStuck(cause, taken.slot)) throw cause;
      retireSlot(taken.slot, { cause, log });
      if (retired === mostRetired) throw unusable(folder, cause);
    }
  }
}

function firstFree(folder: string, log: Log): TakenSlot {
  try {
    return takeSlot(folder, log);
  } catch (cause) {
    throw isStuck(cause, folder) ? unusable(folder, cause) : cause;
  }
}

/** The first folder that is free, or a new one. */
function takeSlot(folder: string, log: Log): TakenSlot {
  for (const name of slotsIn(folder)) {
    const slot = path.join(folder, name);
    try {
      const lock = tryFileLock(path.join(slot, 'lock'));
      if (lock !== null) return { slot, lock };
    } catch (cause) {
      if (!isStuck(cause, slot)) throw cause;
      retireSlot(slot, { cause, log });
    }
  }
  for (let number = (allSlots(folder).map(numberOf).at(-1) ?? 0) + 1; ; number += 1) {
    const slot = path.join(folder, `w${number}`);
    const lock = tryFileLock(path.join(slot, 'lock'));
    if (lock !== null) return { slot, lock };
  }
}

/** Names of the pool's slots that are in use, in order of their numbers. */
export function slotsIn(folder: string): string[] {
  return allSlots(folder).filter((name) => retiredReason(path.join(folder, name)) === null);
}

/** Names of the slots that are retired. */
export function retiredIn(folder: string): string[] {
  return allSlots(folder).filter((name) => retiredReason(path.join(folder, name)) !== null);
}

function allSlots(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const slots = readdirSync(folder).flatMap((name) => /^(w\d+)(?:\.retired)?$/.exec(name)?.[1] ?? []);
  return [...new Set(slots)].sort((a, b) => numberOf(a) - numberOf(b));
}

const numberOf = (name: string): number => Number(name.slice(1));

/** File in a slot that names the set-up which it uses. */
export function usesFile(slot: string): string {
  return path.join(slot, 'uses');
}
