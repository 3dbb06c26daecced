import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import type { SimulationOrder } from './simulated-process.ts';
import { sumOfSimulated, type Simulated } from './simulated.ts';

const program = fileURLToPath(new URL('./simulated-process.ts', import.meta.url));
/** Takes what the real trials leave of the processors. */
const lowestPriority = 19;

/** Simulated trials that run in processes beside everything else. */
export interface Simulation {
  /** What they have come to by now. */
  soFar(): Simulated;
  /** All of them, or what there is when the signal is aborted. */
  finished: Promise<Simulated>;
}

/** Begins so many simulated trials, over several processes of the lowest priority. */
export function simulateBeside(options: {
  trials: number;
  seed: number;
  processes: number;
  signal: AbortSignal;
}): Simulation {
  const { trials, seed, processes, signal } = options;
  const parts: Simulated[] = [];
  const soFar = () => sumOfSimulated(parts.filter((part) => part !== undefined));
  const ends = Array.from({ length: processes }, (_, first) => {
    const order: SimulationOrder = { trials, seed, first, step: processes };
    const child = fork(program, [JSON.stringify(order)], {
      execArgv: ['--conditions=@baton/source', '--no-warnings'],
      signal,
      detached: true,
    });
    if (child.pid !== undefined) yieldToOthers(child.pid);
    child.on('message', (sum) => (parts[first] = sum as Simulated));
    return new Promise<void>((resolve, reject) => {
      child.once('error', (error) => (signal.aborted ? resolve() : reject(error)));
      child.once('exit', (code) =>
        code === 0 || signal.aborted
          ? resolve()
          : reject(new Error(`A process of simulated trials ended with ${code}.`)),
      );
    });
  });
  return { soFar, finished: Promise.all(ends).then(soFar) };
}

/** Sessions compete as groups where Linux groups them; there, a process is nice only by its group. */
function yieldToOthers(pid: number): void {
  os.setPriority(pid, lowestPriority);
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(lowestPriority));
  } catch {
    // Nothing is grouped here.
  }
}
