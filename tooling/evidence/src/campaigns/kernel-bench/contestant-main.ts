import { play, type Prelude } from './prelude.ts';
import { ring } from './subject.ts';
import { type SubjectName, subjects } from './subjects.ts';
import { closedWalk, type Walk } from './walk.ts';

// One contestant: `contestant-main.ts <subject> <prelude> <seed>`, then one measurement for each message of its parent.

/** What the parent asks for. */
export type Ask = { kind: 'measure'; cpuMs: number } | { kind: 'weigh' };

/** What it gets: nanoseconds of CPU time a step, or bytes of heap an instance (null where there are no instances). */
export type Answer = { kind: 'measured'; ns: number } | { kind: 'weighed'; bytes: number | null };

const [name, prelude, seed] = process.argv.slice(2) as [SubjectName, Prelude, string];
const steps = 4096;
const walks = [0, 1, 2, 3].map((at) => closedWalk(steps, Number(seed) + at));
play(prelude);
const subject = subjects[name](ring());
let turn = 0;

process.on('message', (ask: Ask) => {
  const answer: Answer =
    ask.kind === 'measure'
      ? { kind: 'measured', ns: measure(ask.cpuMs) }
      : { kind: 'weighed', bytes: weigh(10_000) };
  process.send?.(answer);
});

/** Walks until the CPU time is used up. Compiling and collecting in other threads of the process count too. */
function measure(cpuMs: number): number {
  const before = process.cpuUsage();
  let passes = 0;
  let usedUs = 0;
  while (usedUs < cpuMs * 1000) {
    for (let at = 0; at < 8; at += 1) walkOnce();
    passes += 8;
    const { user, system } = process.cpuUsage(before);
    usedUs = user + system;
  }
  return (usedUs * 1000) / (passes * steps);
}

function walkOnce(): void {
  turn += 1;
  const legal = subject.pass(walks[turn % walks.length] as Walk);
  if (legal !== steps) throw new Error(`${name} took ${legal} of ${steps} legal steps`);
}

/** Heap of one instance at rest, from many. */
function weigh(count: number): number | null {
  const { instance } = subject;
  if (instance === null) return null;
  const kept: unknown[] = Array.from({ length: count }, () => null);
  const before = heap();
  for (let at = 0; at < count; at += 1) kept[at] = instance(at);
  const bytes = (heap() - before) / count;
  return kept.length === count ? Math.round(bytes) : null;
}

function heap(): number {
  for (let at = 0; at < 3; at += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
