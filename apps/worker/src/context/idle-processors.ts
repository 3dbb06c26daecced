import { cpus } from 'node:os';

/** Time that the processors of this machine spent, in ms since its start: all of it, and doing nothing. */
export interface ProcessorTimes {
  count: number;
  total: number;
  idle: number;
}

/** Processors that did nothing since it was asked before, on average. */
export type IdleMeter = () => number;

/** @param read The machine's own times when left out. */
export function createIdleMeter(read: () => ProcessorTimes = readTimes): IdleMeter {
  let before = read();
  return () => {
    const now = read();
    const share = now.total > before.total ? (now.idle - before.idle) / (now.total - before.total) : 0;
    before = now;
    return share * now.count;
  };
}

function readTimes(): ProcessorTimes {
  const all = cpus().map(({ times }) => times);
  const sum = (of: (times: (typeof all)[number]) => number): number =>
    all.reduce((total, times) => total + of(times), 0);
  const total = sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq);
  return { count: all.length, total, idle: sum(({ idle }) => idle) };
}
