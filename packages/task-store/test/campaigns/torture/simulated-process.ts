// One process of the simulated trials: makes slices of them, and says after each what all came to. Ends when it is told to.
import { setImmediate } from 'node:timers/promises';
import { simulate, sumOfSimulated, type Simulated } from './simulated.ts';

/** What it is told, as JSON in its first argument: how many trials, and which of the slices are its own. */
export interface SimulationOrder {
  trials: number;
  seed: number;
  first: number;
  step: number;
}

const sliceTrials = 500;
const [argument] = process.argv.slice(2);
if (argument !== undefined) await main(JSON.parse(argument) as SimulationOrder);

async function main({ trials, seed, first, step }: SimulationOrder): Promise<void> {
  let sum: Simulated | null = null;
  const slices = Math.ceil(trials / sliceTrials);
  for (let at = first; at < slices && process.connected; at += step) {
    const size = Math.min(sliceTrials, trials - at * sliceTrials);
    const slice = simulate({ trials: size, seed: seed * 100_000 + at });
    sum = sum === null ? slice : sumOfSimulated([sum, slice]);
    process.send?.(sum);
    await setImmediate(); // a disconnection is heard here
  }
  if (process.connected) process.disconnect();
}
