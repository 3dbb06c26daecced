import { migrate, openStore, type NewRun, type Store } from '@baton/task-store';
import type { TaskDraft } from '@baton/contracts';
import { cloneTask } from './clones.ts';
import type { ContenderKind, Work } from './contender.ts';
import type { BenchServer } from './server.ts';
import { fillStore, oneByOne, storeLeft } from './store-contender.ts';
import { benchDraft, benchRun } from './store-drafts.ts';

const by = { actor: 'operator:bench', reason: 'bench' };

/** A queue as it is found at the start. */
export interface Seed {
  /** Ready tasks, copied from one that was created. */
  ready?: number;
  /** Tasks before them that cannot be claimed, and why. */
  stuck?: { tasks: number; why: Stuck };
}

/** Why tasks cannot be claimed. */
export type Stuck = keyof typeof stuckTasks;

const usage = {
  model: null,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costMicroUsd: null,
  estimated: false,
};

async function task(store: Store, options: { run?: Partial<NewRun>; drafts?: TaskDraft[]; why: string }) {
  const { run } = await store.runs.create(benchRun(`stuck-${options.why}`, options.run), by);
  const drafts = options.drafts ?? [benchDraft('one')];
  const tasks = await store.tasks.add(run.id, { ...by, drafts, planned: false });
  const last = tasks.at(-1);
  if (last === undefined) throw new Error('no task was made');
  return { runId: run.id, taskId: last.id };
}

/** Each brings one task into a state in which it cannot be claimed, by the store's own means, and returns its id. */
const stuckTasks = {
  async paused(store: Store): Promise<string> {
    const { runId, taskId } = await task(store, { why: 'paused' });
    await store.runs.pause(runId, by);
    return taskId;
  },
  async 'not before tomorrow'(store: Store): Promise<string> {
    const notBefore = new Date(performance.timeOrigin + performance.now() + 86_400_000).toISOString();
    return (await task(store, { why: 'later', drafts: [benchDraft('one', { notBefore })] })).taskId;
  },
  /** The run's money is spent. */
  async 'over budget'(store: Store): Promise<string> {
    const { runId, taskId } = await task(store, { why: 'spent', run: { budgetMicroUsd: 1000 } });
    const claim = await store.claims.claimTask(taskId, {
      workerId: 'bench',
      leaseMs: 120_000,
      capabilities: { host: 'bench', labels: [] },
    });
    const attempt = claim?.tasks[0]?.attempt;
    if (attempt === undefined) throw new Error('nothing to spend money on');
    await store.streams.recordUsage({ attemptId: attempt.id, offset: 1, usage, costMicroUsd: 1000 });
    const [waiting] = await store.tasks.add(runId, { ...by, drafts: [benchDraft('two')], planned: false });
    if (waiting === undefined) throw new Error('no task was made');
    return waiting.id;
  },
  /** Each task may cost more than the run has left. */
  async 'no room in the budget'(store: Store): Promise<string> {
    const drafts = [benchDraft('one', { maxCostMicroUsd: 2000 })];
    return (await task(store, { why: 'room', run: { budgetMicroUsd: 1000 }, drafts })).taskId;
  },
  /** Waiting for a task that is never closed, because its run is paused. */
  async blocked(store: Store): Promise<string> {
    const drafts = [benchDraft('first'), benchDraft('second', { dependsOn: ['first'] })];
    const { runId, taskId } = await task(store, { why: 'blocked', drafts });
    await store.runs.pause(runId, by);
    return taskId;
  },
};

/** The store with a queue that is there already; `start` says what works on it, claimers when left out. */
export function seededStore(
  name: string,
  seed: Seed,
  start: (store: Store, server: BenchServer) => Promise<Work> = (store, { claimers }) =>
    Promise.resolve(oneByOne(store, claimers)),
): ContenderKind {
  return {
    name,
    usesStore: true,
    ...(seed.ready === undefined ? {} : { backlog: seed.ready }),
    async open(url, server) {
      await migrate(url);
      const store = await openStore({ url, poolSize: server.claimers });
      if (seed.stuck !== undefined) {
        const taskId = await stuckTasks[seed.stuck.why](store);
        await cloneTask(server, url, { taskId, copies: seed.stuck.tasks, batch: 1 });
      }
      const { ready = 0 } = seed;
      if (ready > 0) {
        const { taskId } = await task(store, { why: 'not' });
        await cloneTask(server, url, { taskId, copies: ready - 1, batch: 2 });
      }
      const [row] = await server.sql(url, storeLeft);
      let fills = 0;
      return {
        name,
        url,
        ready,
        stuck: Number(row?.['left']) - ready,
        leftSql: storeLeft,
        fill: async (tasks) => {
          await fillStore(store, { tasks, name: `fill-${fills++}` });
        },
        start: () => start(store, server),
        close: () => store.close(),
      };
    },
  };
}
