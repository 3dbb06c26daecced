import type { Walk } from './walk.ts';

/** One way to do the work; each is measured in a process of its own. */
export interface Subject {
  /** Goes once through a walk and returns how many steps were legal: all of them, or the subject is broken. */
  pass(walk: Walk): number;
  /** Makes one entity at rest, for the measurement of memory. Null where none is made. */
  instance: ((at: number) => unknown) | null;
}

/** Keeps a result reachable for a while, so that no compiler may leave out the making of it. */
export type Keep = (result: unknown) => void;

/** What every step says about itself: the call that the README shows, with the time as a program has it. */
export const who = { actor: 'worker-1', reason: 'next in rank', at: 1_795_000_000_000 } as const;

const entityIds: readonly string[] = Array.from({ length: 256 }, (_, at) => `task-${at}`);

/** Names of entities, over and over. */
export function entityId(at: number): string {
  return entityIds[at & 255] as string;
}

/** Keeps the last 64 results: enough that they are real, few enough to stay out of the measurement. */
export function ring(): Keep {
  const kept: unknown[] = Array.from({ length: 64 }, () => null);
  let next = 0;
  return (result) => {
    kept[next] = result;
    next = (next + 1) & 63;
  };
}
