import { edges, taskMachine, type Edge } from '@baton/fsm-core';

/** A walk, step by step: `from[n]` on `event[n]` to `to[n]`. Columns, so that reading it costs next to nothing. */
export interface Walk {
  from: string[];
  event: string[];
  to: string[];
}

/**
 * A closed legal walk through the task machine: starts and ends in OPEN, so that it can be walked again and again, and
 * enters no terminal state. The same seed gives the same walk.
 */
export function closedWalk(steps: number, seed: number): Walk {
  const moves = edges(taskMachine) as Edge[];
  const home = statesByDistance(moves, steps);
  const random = mulberry32(seed);
  const walk: Walk = { from: [], event: [], to: [] };
  let state = 'OPEN';
  for (let left = steps - 1; left >= 0; left -= 1) {
    const open = moves.filter(({ from, to }) => from === state && home[left]?.has(to));
    const move = open[Math.floor(random() * open.length)];
    if (move === undefined) throw new Error(`no closed walk of ${steps} steps from ${state}`);
    walk.from.push(move.from);
    walk.event.push(move.event);
    walk.to.push(move.to);
    state = move.to;
  }
  return walk;
}

/** For each number of steps, the states from which OPEN is reached in exactly so many. */
function statesByDistance(moves: readonly Edge[], steps: number): Set<string>[] {
  const found = [new Set(['OPEN'])];
  while (found.length < steps) {
    const nearer = found[found.length - 1] ?? new Set();
    found.push(new Set(moves.filter(({ to }) => nearer.has(to)).map(({ from }) => from)));
  }
  return found;
}

/** A small pseudo-random generator (mulberry32), numbers in [0, 1). */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
