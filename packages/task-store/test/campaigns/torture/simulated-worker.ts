// One thread of the simulated trials.
import { parentPort, workerData } from 'node:worker_threads';
import { simulate } from './simulated.ts';

parentPort?.postMessage(simulate(workerData as { trials: number; seed: number }));
