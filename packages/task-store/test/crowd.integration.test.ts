import { BatonError } from '@baton/contracts';
import { inParts, seededRandom } from '@baton/testkit';
import { expect, it } from 'vitest';
import { type Store, openStore } from '../src/index.ts';
import { judgeRows } from './campaigns/torture/judge-rows.ts';
import { draft, request } from './support/builders.ts';
import { flow, holding, type Flow } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const by = { actor: 'operator:test', reason: 'test' };

/** One of many who do something with the same run at the same time. */
interface Someone {
  name: string;
  store: Store;
  flow: Flow;
  runId: string;
  /** One of so many. */
  pick(count: number): number;
}

/** The key of a task that may be there. */
const someKey = ({ pick }: Someone) => `k${pick(12)}`;
const someTask = async (one: Someone) =>
  (await one.store.tasks.list({ runId: one.runId, limit: 100 })).items.find(
    ({ key }) => key === someKey(one),
  );

/** What people do to a run. */
const wishes: ((one: Someone) => Promise<unknown>)[] = [
  (one) => {
    const dependsOn = one.pick(2) === 0 ? [] : [someKey(one)];
    const drafts = [draft(`${one.name}-${one.pick(1e9)}`, { dependsOn, maxRetries: one.pick(2) })];
    return one.store.tasks.add(one.runId, { ...by, drafts, planned: false });
  },
  (one) => one.store.runs.pause(one.runId, by),
  (one) => one.store.runs.resume(one.runId, by),
  (one) => one.store.runs.resume(one.runId, by),
  (one) =>
    one.store.runs.setBudget(one.runId, { ...by, capMicroUsd: [null, 20e6, 400e6][one.pick(3)] ?? null }),
  async (one) => {
    const task = await someTask(one);
    if (task !== undefined && one.pick(3) === 0) await one.store.tasks.cancel(task.id, by);
  },
  async (one) => {
    const task = await someTask(one);
    if (task?.status === 'FAILED') await one.store.tasks.retry(task.id, by);
  },
  (one) => one.store.runs.settle(one.runId),
  (one) => one.store.claims.sweep({ actor: 'sweeper' }),
  (one) => one.store.claims.wake({ actor: 'sweeper' }),
];

/** A worker's batch: done, given back or failed, each in its own way. */
async function work(one: Someone): Promise<void> {
  const claim = await one.store.claims.claimBatch(
    request({ workerId: one.name, runId: one.runId, maxTasks: 1 + one.pick(3) }),
  );
  if (claim === null) return;
  if (one.pick(4) > 0) {
    await one.flow.launch(claim);
    for (const at of claim.tasks.keys()) {
      await (at === 0 ? one.flow.ready(claim) : one.flow.next(claim, at));
      if (one.pick(3) > 0) await one.flow.done(claim, at);
      else {
        const failed = { holding: holding(claim, at), reason: 'no luck', outcome: 'agent_failed' } as const;
        await one.flow.tell({ fact: 'agent_failed', ...failed });
      }
    }
  } else
    for (const at of claim.tasks.keys())
      await one.flow.tell({ fact: 'released', holding: holding(claim, at), reason: 'no slot' });
  await one.flow.over(claim);
  await one.store.runs.settle(one.runId);
}

/** Refusals are answers; anything else is none. */
async function unlessRefused(act: () => Promise<unknown>): Promise<void> {
  await act().catch((error: unknown) => {
    const allowed = ['CONFLICT', 'NOT_FOUND', 'BUDGET_BELOW_SPENT', 'INVALID_INPUT'];
    if (!(BatonError.is(error) && allowed.includes(error.code))) throw error;
  });
}

for (const [cases, tagged] of inParts(1, [1, 2, 3]))
  it.each(cases)(
    'whatever many people and workers do at once, all rows agree afterwards (seed %i)',
    tagged,
    async (seed) => {
      const random = seededRandom(seed);
      const pick = (count: number) => Math.floor(random() * count);
      const drafts = Array.from({ length: 12 }, (_, at) => draft(`k${at}`, { maxRetries: pick(2) }));
      const { runId } = await held.flow.open(drafts, { batchSize: 3 });
      await using stores = new AsyncDisposableStack();
      const crowd: Someone[] = [];
      for (let at = 0; at < 3; at++) {
        const store = await openStore({ url: held.url, random: () => 0 });
        stores.defer(() => store.close());
        for (const role of ['person', 'worker', 'other-worker'])
          crowd.push({ name: `${role}-${at}`, store, flow: flow(store), runId, pick });
      }
      await Promise.all(
        crowd.map(async (one) => {
          for (let turn = 0; turn < 14; turn++)
            await unlessRefused(() =>
              one.name.startsWith('person') ? (wishes[pick(wishes.length)] ?? wishes[0])!(one) : work(one),
            );
        }),
      );
      expect(await judgeRows(held)).toEqual([]);
      const before = await held.store.runs.get(runId);
      expect(await held.store.runs.settle(runId)).toMatchObject({ status: before?.status });
    },
  );
