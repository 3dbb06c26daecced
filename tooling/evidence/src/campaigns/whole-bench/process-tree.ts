import type { Process } from './processes.ts';

/** Adds up what a process and all that it started have used. */
export interface ProcessTree {
  /** Takes what there is now into account. One look without the first process changes nothing: what it started is ending too. */
  look(all: readonly Process[]): void;
  /** CPU time in ms up to the last look; not a number before the first. */
  cpuMs(): number;
}

/**
 * Follows the processes below `root`. What a process used is its parent's once that has waited for it. One whose parent ended first
 * is followed further, and what it had used when it was last seen stays counted.
 */
export function processTree(root: number): ProcessTree {
  let known = new Map<number, Process>();
  let goneMs = 0;
  let cpuMs = Number.NaN;
  return {
    look(all) {
      if (!all.some(({ pid }) => pid === root)) return;
      const isKnown = ({ pid, started }: Process) => known.get(pid)?.started === started;
      const now = withDescendants(
        all,
        all.filter((one) => one.pid === root || isKnown(one)),
      );
      for (const [pid, before] of known) {
        const isThere = now.get(pid)?.started === before.started;
        if (!isThere && !known.has(before.parent)) goneMs += before.cpuMs;
      }
      known = now;
      cpuMs = goneMs + total(now);
    },
    cpuMs: () => cpuMs,
  };
}

/** CPU time in ms of a process and all below it, those that have ended included; not a number if it is not there. */
export function cpuBelow(root: number, all: readonly Process[]): number {
  const first = all.filter(({ pid }) => pid === root);
  return first.length === 0 ? Number.NaN : total(withDescendants(all, first));
}

function withDescendants(all: readonly Process[], first: readonly Process[]): Map<number, Process> {
  const byParent = Map.groupBy(all, ({ parent }) => parent);
  const found = new Map<number, Process>();
  const open = [...first];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (found.has(one.pid)) continue;
    found.set(one.pid, one);
    open.push(...(byParent.get(one.pid) ?? []));
  }
  return found;
}

const total = (processes: ReadonlyMap<number, Process>): number =>
  [...processes.values()].reduce((sum, { cpuMs }) => sum + cpuMs, 0);
