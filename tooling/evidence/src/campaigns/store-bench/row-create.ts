import { migrate, openStore, type Store } from '@baton/task-store';
import { makeWorkerUtils, type WorkerUtils } from 'graphile-worker';
import type { PgBoss } from 'pg-boss';
import { inLoops, type ContenderKind } from './contender.ts';
import { against, figuresOf, linesOf, type Row } from './row.ts';
import { interleave } from './rounds.ts';
import { openPgBoss, queue, silent } from './peers.ts';
import type { BenchServer } from './server.ts';
import { benchDraft, benchRun } from './store-drafts.ts';

const by = { actor: 'operator:bench', reason: 'bench' };

/** Something that creates jobs, so many at a time. */
interface Creator {
  create(jobs: number): Promise<unknown>;
  close(): Promise<void>;
}

const creators: Record<string, (url: string, server: BenchServer) => Promise<Creator>> = {
  async store(url, { claimers }) {
    await migrate(url);
    const store = await openStore({ url, poolSize: claimers });
    const { run } = await store.runs.create(benchRun('created'), by);
    let made = 0;
    return {
      create: (jobs) => createTasks(store, run.id, { jobs, from: (made += jobs) }),
      close: () => store.close(),
    };
  },
  async 'pg-boss'(url, server) {
    const boss: PgBoss = await openPgBoss(url, server);
    return {
      create: (jobs) =>
        jobs === 1
          ? boss.send(queue, {})
          : boss.insert(
              queue,
              Array.from({ length: jobs }, () => ({ data: {} })),
            ),
      close: () => boss.stop({ graceful: false }),
    };
  },
  async 'graphile-worker'(url, { claimers }) {
    const utils: WorkerUtils = await makeWorkerUtils({
      connectionString: url,
      maxPoolSize: claimers,
      logger: silent,
    });
    await utils.migrate();
    return {
      create: (jobs) =>
        jobs === 1
          ? utils.addJob(queue, {})
          : utils.addJobs(Array.from({ length: jobs }, () => ({ identifier: queue, payload: {} }))),
      close: async () => {
        await utils.release();
      },
    };
  },
};

/** The store's way to add tasks to a run that exists; each gets its `created` event. */
async function createTasks(
  store: Store,
  runId: string,
  { jobs, from }: { jobs: number; from: number },
): Promise<void> {
  const drafts = Array.from({ length: jobs }, (_, n) => benchDraft(`t${from + n}`));
  await store.tasks.add(runId, { ...by, drafts, planned: false });
}

/** How many jobs each table holds: they are created here and never taken. */
const countSql: Record<string, string> = {
  store: 'SELECT -count(*) AS left FROM task',
  'pg-boss': `SELECT -count(*) AS left FROM pgboss.job WHERE name = '${queue}'`,
  'graphile-worker': 'SELECT -count(*) AS left FROM graphile_worker._private_jobs',
};

/** Some who create jobs, so many at a time, and never take one; as many as there are claimers when left out. */
export function creating(
  who: string,
  { name, jobs, loops }: { name: string; jobs: number; loops?: number },
): ContenderKind {
  return {
    name,
    ...(who === 'store' && { usesStore: true }),
    backlog: 0,
    async open(url, server) {
      const creator = await creators[who]?.(url, server);
      if (creator === undefined) throw new Error(`nobody called ${who}`);
      return {
        name,
        url,
        endless: true,
        leftSql: countSql[who] ?? '',
        fill: () => Promise.resolve(),
        start: () =>
          Promise.resolve(inLoops(loops ?? server.claimers, async () => (await creator.create(jobs), jobs))),
        close: () => creator.close(),
      };
    },
  };
}

const batch = 1000;
const single = (who: string) => `${who}, one by one`;
const batched = (who: string) => `${who}, batches of ${batch}`;

/** Creating jobs, with an event each in the store. */
export const createRow: Row = {
  name: 'create',
  work: `creating jobs: 16 callers one by one; 4 callers in batches of ${batch}`,
  async run(context) {
    const names = Object.keys(creators);
    const kinds = [
      ...names.map((who) => creating(who, { name: single(who), jobs: 1 })),
      ...names.map((who) => creating(who, { name: batched(who), jobs: batch, loops: 4 })),
    ];
    const sizes = context.short
      ? { rounds: 1, warmMs: 20, windowMs: 50, backlog: 0 }
      : { rounds: 5, warmMs: 300, windowMs: 1500, backlog: 0 };
    const { samples, broken } = await interleave(context, { row: 'create', kinds, sizes });
    return {
      aims: [
        ...against(samples, single('store'), { peer: single('pg-boss'), least: 4 }),
        ...against(samples, single('store'), { peer: single('graphile-worker'), least: 8 }),
        ...against(samples, batched('store'), { peer: batched('pg-boss'), mostCpu: 1.2 }),
        ...against(samples, batched('store'), { peer: batched('graphile-worker') }),
      ],
      lines: linesOf(samples),
      figures: figuresOf(samples),
      broken,
    };
  },
};
