import { setTimeout as delay } from 'node:timers/promises';
import type { Contender, Work } from './contender.ts';
import { processCpuMs, type BenchServer } from './server.ts';

const patienceMs = 20_000;
const fewestJobs = 10;

/** What one window showed; everything but the rate is per job. */
export interface Sample {
  jobs: number;
  seconds: number;
  perSecond: number;
  /** CPU ms of the contender's backends. */
  serverMs: number;
  /** CPU ms of the client's process. */
  clientMs: number;
  /** Both together: the noise-proof form of the rate. */
  cpuMs: number;
  walBytes: number;
}

/** Samples, and what the contender did in all. */
export interface Measured<Samples extends readonly Sample[]> {
  samples: Samples;
  /** Jobs finished from start to stop, by the contender's own count. */
  finished: number;
}

interface Window {
  /** Time that the contender has to get going before anything counts. */
  warmMs: number;
  windowMs: number;
}

interface Reading {
  at: number;
  done: number;
  backends: Map<number, number>;
  clientMs: number;
  walBytes: number;
}

/** Lets a contender work for a while and reads the costs while its connections still live. */
export async function measure(
  server: BenchServer,
  contender: Contender,
  window: Window,
): Promise<Measured<[Sample]>> {
  return measuring(server, contender, async (sample) => {
    await delay(window.warmMs);
    return [await sample(window.windowMs)];
  });
}

/** Starts a contender, lets `story` take samples of it, and stops it. */
export async function measuring<Samples extends readonly Sample[]>(
  server: BenchServer,
  contender: Contender,
  story: (sample: (windowMs: number) => Promise<Sample>) => Promise<Samples>,
): Promise<Measured<Samples>> {
  const work = await contender.start();
  const read = async (): Promise<Reading> => {
    const done = await work.done();
    const at = performance.now();
    const clientMs = work.clientPid === undefined ? ownCpuMs() : processCpuMs(work.clientPid);
    const backends = await server.backendCpu(contender.url);
    return { at, done, backends, clientMs, walBytes: await server.walBytes() };
  };
  let samples: Samples;
  try {
    await untilDone(work, 1);
    samples = await story(async (windowMs) => {
      const before = await read();
      await delay(windowMs);
      await untilDone(work, before.done + fewestJobs);
      return between(before, await read());
    });
  } finally {
    await work.stop();
  }
  return { samples, finished: await work.done() };
}

/** On a busy machine a short window may be over before anything is done: it lasts until something is. */
async function untilDone(work: Work, jobs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < patienceMs && (await work.done()) < jobs; waitedMs += 20) await delay(20);
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function between(before: Reading, after: Reading): Sample {
  const jobs = after.done - before.done;
  const seconds = (after.at - before.at) / 1000;
  let serverMs = 0;
  for (const [pid, ms] of after.backends) serverMs += ms - (before.backends.get(pid) ?? 0);
  const clientMs = after.clientMs - before.clientMs;
  return {
    jobs,
    seconds,
    perSecond: jobs / seconds,
    serverMs: serverMs / jobs,
    clientMs: clientMs / jobs,
    cpuMs: (serverMs + clientMs) / jobs,
    walBytes: (after.walBytes - before.walBytes) / jobs,
  };
}
