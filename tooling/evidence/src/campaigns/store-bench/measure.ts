import { setTimeout as delay } from 'node:timers/promises';
import type { Contender } from './contender.ts';
import { processCpuMs, type BenchServer } from './server.ts';

/** What one window showed; everything but the rate is per job. */
export interface Sample {
  jobs: number;
  seconds: number;
  perSecond: number;
  /** CPU ms of the contender's backends. */
  serverMs: number;
  /** CPU ms of the client's process. */
  clientMs: number;
  walBytes: number;
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
export async function measure(server: BenchServer, contender: Contender, window: Window): Promise<Sample> {
  const work = await contender.start();
  const read = async (): Promise<Reading> => {
    const done = await work.done();
    const at = performance.now();
    const clientMs = work.clientPid === undefined ? ownCpuMs() : processCpuMs(work.clientPid);
    const backends = await server.backendCpu(contender.url);
    return { at, done, backends, clientMs, walBytes: await server.walBytes() };
  };
  try {
    await delay(window.warmMs);
    const before = await read();
    await delay(window.windowMs);
    return between(before, await read());
  } finally {
    await work.stop();
  }
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
  return {
    jobs,
    seconds,
    perSecond: jobs / seconds,
    serverMs: serverMs / jobs,
    clientMs: (after.clientMs - before.clientMs) / jobs,
    walBytes: (after.walBytes - before.walBytes) / jobs,
  };
}
