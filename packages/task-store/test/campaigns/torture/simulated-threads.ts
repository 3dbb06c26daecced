import { Worker } from 'node:worker_threads';
import type { Simulated } from './simulated.ts';

/** Makes so many simulated trials, over several threads. */
export async function simulateInThreads(options: {
  trials: number;
  seed: number;
  threads: number;
}): Promise<Simulated> {
  const { trials, seed, threads } = options;
  const parts = await Promise.all(
    Array.from({ length: threads }, (_, n) =>
      simulateInThread({ trials: Math.ceil(trials / threads), seed: seed * threads + n }),
    ),
  );
  const sum = (pick: (part: Simulated) => number) => parts.reduce((all, part) => all + pick(part), 0);
  return {
    trials: sum((part) => part.trials),
    walks: sum((part) => part.walks),
    steps: sum((part) => part.steps),
    crashes: sum((part) => part.crashes),
    settled: sum((part) => part.settled),
    violations: parts.flatMap(({ violations }) => violations),
  };
}

function simulateInThread(workerData: { trials: number; seed: number }): Promise<Simulated> {
  const worker = new Worker(new URL('./simulated-worker.ts', import.meta.url), {
    workerData,
    execArgv: ['--conditions=@baton/source', '--no-warnings'],
  });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`A thread of simulated trials ended with ${code}.`)));
  });
}
