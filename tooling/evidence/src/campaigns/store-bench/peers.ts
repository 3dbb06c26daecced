import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { PgBoss } from 'pg-boss';
import { inLoops, type Contender, type ContenderKind, type Work } from './contender.ts';
import type { BenchServer } from './server.ts';

/** Name of the queue, and of the task. */
export const queue = 'bench';
const chunk = 1000;

/** So many equal things, in pieces of a thousand. */
async function inChunks(total: number, add: (size: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < total; from += chunk) await add(Math.min(chunk, total - from));
}

/** pg-boss with its own background work off, so that only fetching and completing counts. */
export async function openPgBoss(url: string, { claimers }: Pick<BenchServer, 'claimers'>): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: url, max: claimers, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  await boss.createQueue(queue);
  return boss;
}

function pgBoss(name: string, start: (boss: PgBoss, claimers: number) => Promise<Work>): ContenderKind {
  return {
    name,
    async open(url, server): Promise<Contender> {
      const boss = await openPgBoss(url, server);
      return {
        name,
        url,
        fill: (jobs) =>
          inChunks(jobs, (size) =>
            boss.insert(
              queue,
              Array.from({ length: size }, () => ({ data: {} })),
            ),
          ),
        leftSql: `SELECT count(*) AS left FROM pgboss.job WHERE name = '${queue}' AND state <> 'completed'`,
        start: () => start(boss, server.claimers),
        close: () => boss.stop({ graceful: false }),
      };
    },
  };
}

/** `fetch()` and `complete()`, one job at a time. */
export const pgBossOneByOne = pgBoss('pg-boss', (boss, claimers) =>
  Promise.resolve(
    inLoops(claimers, async () => {
      const [job] = await boss.fetch(queue);
      if (job === undefined) return 0;
      await boss.complete(queue, job.id);
      return 1;
    }),
  ),
);

/** `work()` with the settings its documentation names for throughput. */
export const pgBossWork = pgBoss('pg-boss', async (boss) => {
  let done = 0;
  await boss.work(
    queue,
    { batchSize: 500, burstWhenBatchFull: true, localConcurrency: 4, pollingIntervalSeconds: 0.5 },
    (jobs) => {
      done += jobs.length;
      return Promise.resolve();
    },
  );
  return { done: () => done, stop: () => boss.offWork(queue, { wait: true }) };
});

/** Says nothing. */
export const silent = new Logger(() => () => undefined);

function graphile(name: string, settings: GraphileConfig.WorkerOptions = {}): ContenderKind {
  return {
    name,
    async open(url, { claimers }): Promise<Contender> {
      const worker = { concurrentJobs: claimers, ...settings };
      const utils = await makeWorkerUtils({ connectionString: url, logger: silent });
      await utils.migrate();
      return {
        name,
        url,
        fill: (jobs) =>
          inChunks(jobs, (size) =>
            utils.addJobs(Array.from({ length: size }, () => ({ identifier: queue, payload: {} }))),
          ),
        leftSql: 'SELECT count(*) AS left FROM graphile_worker._private_jobs',
        // It starts to complete a job and goes on to the next without waiting, even where nothing is gathered.
        lateAtStop: claimers + (worker.localQueue?.size ?? 0),
        async start() {
          let done = 0;
          const runner = await run({
            preset: { worker: { connectionString: url, logger: silent, maxPoolSize: claimers, ...worker } },
            noHandleSignals: true,
            taskList: {
              [queue]: () => {
                done++;
              },
            },
          });
          return {
            done: () => done,
            async stop() {
              await runner.stop();
              await runner.promise;
            },
          };
        },
        close: async () => {
          await utils.release();
        },
      };
    },
  };
}

/** As it comes: each job is fetched and completed by itself. */
export const graphileOneByOne = graphile('graphile-worker');

/** As its page on performance has it: 500 jobs fetched ahead, completions gathered, so acknowledged late. */
export const graphileBatched = graphile('graphile-worker', {
  localQueue: { size: 500, refetchDelay: { durationMs: 10 } },
  completeJobBatchDelay: 0,
});
