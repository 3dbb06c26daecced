import { cpus } from 'node:os';

/** Time that the processors of this machine spent, in ms since its start: all of it, and doing nothing. */
export interface ProcessorTimes {
  count: number;
  total: number;
  idle: number;
}

/** Fewest processors without work that a verification beside the one that decides takes. */
export const leastIdle = 0.5;

/** Processors that did nothing since it was asked before, on average. */
export type IdleMeter = () => number;

/** Shorter stretches say little, and are added to the next one: two questions at the same time get one answer. */
const shortestMs = 100;

/** @param read The machine's own times when left out. */
export function createIdleMeter(read: () => ProcessorTimes = readTimes): IdleMeter {
  let before = read();
  let idle = 0;
  return () => {
    const now = read();
    if (now.total - before.total < shortestMs * now.count) return idle;
    idle = ((now.idle - before.idle) / (now.total - before.total)) * now.count;
    before = now;
    return idle;
  };
}

function readTimes(): ProcessorTimes {
  const all = cpus().map(({ times }) => times);
  const sum = (of: (times: (typeof all)[number]) => number): number =>
    all.reduce((total, times) => total + of(times), 0);
  const total = sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq);
  return { count: all.length, total, idle: sum(({ idle }) => idle) };
}
