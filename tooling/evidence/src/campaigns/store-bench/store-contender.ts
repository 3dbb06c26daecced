import {
  migrate,
  openStore,
  type Fact,
  type RecordOutcome,
  type NewRun,
  type Store,
} from '@baton/task-store';
import { inLoops, type ContenderKind, type Work } from './contender.ts';
import { benchDraft, benchRun } from './store-drafts.ts';

const by = { actor: 'operator:bench', reason: 'bench' };
const commit = 'b'.repeat(40);
const tasksPerRun = 1000;
export const storeLeft = `SELECT count(*) AS left FROM task WHERE status <> 'DONE'`;

/** Adds ready tasks to new runs of a thousand each. */
export async function fillStore(
  store: Store,
  options: { tasks: number; name: string; run?: Partial<NewRun> },
): Promise<string[]> {
  const runIds: string[] = [];
  for (let from = 0; from < options.tasks; from += tasksPerRun) {
    const size = Math.min(tasksPerRun, options.tasks - from);
    const { run } = await store.runs.create(benchRun(`${options.name}-${from}`, options.run), by);
    const drafts = Array.from({ length: size }, (_, n) => benchDraft(`t${n}`));
    await store.tasks.add(run.id, { ...by, drafts, planned: false });
    runIds.push(run.id);
  }
  return runIds;
}

/** How a worker reports: each fact when it happens, or those that happen together in one statement. */
export type Reporting = 'each' | 'together';

type Told<Name extends Fact['fact']> = Extract<Fact, { fact: Name }>;

/** One task from OPEN to DONE as a worker takes it there; false when there is none. */
export async function carryOut(
  store: Store,
  { workerId, reporting = 'each' }: { workerId: string; reporting?: Reporting },
): Promise<boolean> {
  const claim = await store.claims.claimBatch({ workerId, maxTasks: 1, leaseMs: 120_000, capabilities });
  const attempt = claim?.tasks[0]?.attempt;
  if (attempt === undefined) return false;
  const holding = { attemptId: attempt.id, fence: attempt.fence };
  const actor = `worker:${workerId}`;
  const [launched, ready] = [launchedBy(holding), readyBy(holding)];
  if (reporting === 'together') must(await store.claims.recordAll([launched, ready], { actor }));
  else for (const fact of [launched, ready]) must(await store.claims.record(fact, { actor }));
  must(await store.claims.record(doneBy(holding), { actor }));
  return true;
}

const capabilities = { host: 'bench', labels: [] };
const session = {
  adapter: 'command',
  model: null,
  pid: 1,
  pidStarted: '1',
  workspace: '/bench',
  deadlineAt: null,
  route: {},
};

interface Holding {
  attemptId: string;
  fence: number;
}

const launchedBy = (holding: Holding): Told<'launched'> => ({
  fact: 'launched',
  holdings: [holding],
  ...session,
});
const readyBy = (holding: Holding): Told<'ready'> => ({
  fact: 'ready',
  holding,
  baseCommit: commit,
  startCommit: commit,
});
const doneBy = (holding: Holding): Told<'done'> => ({
  fact: 'done',
  holding,
  baseCommit: commit,
  startCommit: commit,
  headCommit: commit,
  summary: 'done',
});

function must(outcome: RecordOutcome): void {
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`);
}

/** Loops that each take one task after the other to DONE. */
export const oneByOne = (store: Store, claimers: number, reporting: Reporting = 'each'): Work =>
  inLoops(claimers, async (loop) =>
    (await carryOut(store, { workerId: `bench-${loop}`, reporting })) ? 1 : 0,
  );

/** The store as it ships; `run` says what its runs have besides tasks, e.g. a budget. */
export function storeContender(
  name: string,
  { run = {}, reporting = 'each' }: { run?: Partial<NewRun>; reporting?: Reporting } = {},
): ContenderKind {
  return {
    name,
    usesStore: true,
    async open(url, { claimers }) {
      await migrate(url);
      const store = await openStore({ url, poolSize: claimers });
      let fills = 0;
      return {
        name,
        url,
        fill: async (tasks) => {
          await fillStore(store, { tasks, name: `fill-${fills++}`, run });
        },
        leftSql: storeLeft,
        start: () => Promise.resolve(oneByOne(store, claimers, reporting)),
        close: () => store.close(),
      };
    },
  };
}
