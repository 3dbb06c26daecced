import { setTimeout as delay } from 'node:timers/promises';
import { migrate, openStore } from '@baton/task-store';
import { makeWorkerUtils, run } from 'graphile-worker';
import { queue, silent } from './peers.ts';
import { round, type Row } from './row.ts';
import type { FactContext } from './rounds.ts';
import { benchDraft, benchRun } from './store-drafts.ts';

const by = { actor: 'operator:bench', reason: 'bench' };

/** An idle worker and somebody who creates a job now and then. */
interface Pair {
  /** Creates a job and returns the milliseconds from the call until the worker has it. */
  once(n: number): Promise<number>;
  close(): Promise<void>;
}

/** Answers to jobs by their number. */
function arrivals() {
  const waiting = new Map<number, (at: number) => void>();
  return {
    arrived: (n: number) => waiting.get(n)?.(performance.now()),
    async timed(n: number, create: () => Promise<unknown>): Promise<number> {
      const arrival = new Promise<number>((resolve) => waiting.set(n, resolve));
      const startedAt = performance.now();
      await create();
      const tookMs = (await arrival) - startedAt;
      waiting.delete(n);
      return tookMs;
    },
  };
}

async function storePair(url: string): Promise<Pair> {
  await migrate(url);
  const [creator, worker] = [await openStore({ url }), await openStore({ url })];
  const { run: target } = await creator.runs.create(benchRun('latency'), by);
  const { arrived, timed } = arrivals();
  let looking: Promise<void> = Promise.resolve();
  // As a worker does it: woken, or once a second, it claims until there is nothing.
  const look = async () => {
    for (;;) {
      const capabilities = { host: 'bench', labels: [] };
      const claim = await worker.claims.claimBatch({
        workerId: 'bench',
        maxTasks: 1,
        leaseMs: 120_000,
        capabilities,
      });
      if (claim === null) return;
      for (const { task } of claim.tasks) arrived(Number(task.key.slice(1)));
    }
  };
  const stop = await worker.feed.onWake('work', () => {
    looking = looking.then(look);
  });
  return {
    once: (n) =>
      timed(n, () => creator.tasks.add(target.id, { ...by, drafts: [benchDraft(`t${n}`)], planned: false })),
    async close() {
      await stop();
      await looking;
      await Promise.all([creator.close(), worker.close()]);
    },
  };
}

async function graphilePair(url: string): Promise<Pair> {
  const utils = await makeWorkerUtils({ connectionString: url, logger: silent });
  await utils.migrate();
  const { arrived, timed } = arrivals();
  const runner = await run({
    connectionString: url,
    logger: silent,
    noHandleSignals: true,
    taskList: { [queue]: (payload) => arrived((payload as { n: number }).n) },
  });
  return {
    once: (n) => timed(n, () => utils.addJob(queue, { n })),
    async close() {
      await runner.stop();
      await utils.release();
    },
  };
}

const pairs: Record<string, (url: string) => Promise<Pair>> = {
  store: storePair,
  'graphile-worker': graphilePair,
};

const percentile = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? NaN;

/** From the call that creates a job until an idle worker has it. */
export const latencyRow: Row = {
  name: 'latency',
  work: 'create → claimed by an idle worker, one job every 20 ms',
  async run(context) {
    const { rounds, jobs, gapMs } = context.short
      ? { rounds: 1, jobs: 10, gapMs: 5 }
      : { rounds: 4, jobs: 150, gapMs: 20 };
    const times = new Map<string, number[]>();
    const names = Object.keys(pairs).filter(context.wanted);
    for (let turn = 1; turn <= rounds; turn++)
      for (const name of names) {
        const tookMs = await onePair(context, { name, jobs, gapMs });
        times.set(name, [...(times.get(name) ?? []), ...tookMs]);
      }
    const figures = Object.fromEntries(
      [...times].map(([name, all]) => {
        const sorted = all.sort((a, b) => a - b);
        return [name, { p50Ms: round(percentile(sorted, 0.5)), p99Ms: round(percentile(sorted, 0.99)) }];
      }),
    );
    const ratio = (part: 'p50Ms' | 'p99Ms') =>
      (figures['store']?.[part] ?? NaN) / (figures['graphile-worker']?.[part] ?? NaN);
    return {
      aims: [
        { what: 'store: p50 ÷ graphile-worker', ratio: ratio('p50Ms'), most: 1 },
        { what: 'store: p99 ÷ graphile-worker', ratio: ratio('p99Ms'), most: 2 },
      ],
      lines: Object.entries(figures).map(([contender, { p50Ms, p99Ms }]) => ({
        contender,
        perSecond: `p50 ${p50Ms} ms, p99 ${p99Ms} ms`,
        serverMs: '',
        clientMs: '',
        walBytes: '',
      })),
      figures,
    };
  },
};

async function onePair(
  { server, short }: FactContext,
  { name, jobs, gapMs }: { name: string; jobs: number; gapMs: number },
): Promise<number[]> {
  const url = await server.database('latency', { usesStore: name === 'store' });
  const pair = await pairs[name]?.(url);
  if (pair === undefined) throw new Error(`nobody called ${name}`);
  try {
    const tookMs: number[] = [];
    // The first ones pay for connections and plans.
    for (let n = 0; n < 10 + jobs; n++) {
      const ms = await pair.once(n);
      if (n >= 10) tookMs.push(ms);
      await delay(gapMs);
    }
    return tookMs;
  } finally {
    await pair.close();
    await server.drop(url, { isKept: short });
  }
}
