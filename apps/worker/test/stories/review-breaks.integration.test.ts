import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createPluginBus, definePlugin } from '@baton/plugins';
import { manualClock, until, type FakeStep } from '@baton/testkit';
import { expect, it } from 'vitest';
import { scriptedMind } from '../helpers/model.ts';
import { acceptance, reviewPlan, reviewer, routed, taskOf, waiting, writes } from '../helpers/reviewers.ts';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

const cost = (amount: number): FakeStep => ({
  update: { sessionUpdate: 'usage_update', used: 1, size: 9, cost: { amount, currency: 'USD' } },
});
const acp = (steps: readonly FakeStep[], model: string) => ({
  ...scripted({ steps: [{ say: 'I am at it.' }, ...steps] }, 'acp'),
  model,
});
const paid = (key: string, amount: number) =>
  acp([cost(amount), { write: { [`${key}.txt`]: 'x\n' } }], 'gpt-4o-mini');
const attemptOf = async (rig: Rig, runId: string, key = 't0') =>
  (await rig.store.tasks.attempts((await taskOf(rig, runId, key)).id))[0];

it(
  'leaves a change to a person that is too long for a reviewer without git',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    await using mind = await scriptedMind([acceptance]);
    const author = { command: ['sh', '-c', 'seq 1 20000 > a.txt; echo evil > z.txt'] };
    const { run } = await rig.submit(reviewPlan([{ agent: author }]), routed(mind.agent));
    await rig.worker();
    expect((await waiting(rig, run.id)).reason).toContain('the change is too long for reviewer');
  },
);

it(
  'starts the next task of a batch with a session of its own after a review',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    const agents = { author: { ...acp([{ write: { 'a.txt': 'x\n' } }], 'gpt-4o-mini'), warm: true } };
    const steps = [
      { agent: 'author' },
      { agent: 'author', signals: [{ type: 'path_exists', path: 'a.txt' }] },
    ];
    const plan = reviewPlan(steps, { agents, batch_size: 2, max_agents: 1 });
    const { run } = await rig.submit(plan, routed(reviewer({})));
    await rig.worker({ capacity: 1 });
    await rig.settled(run.id);
    expect(await rig.store.tasks.sessions({ runId: run.id })).toHaveLength(2);
    const attempts = await rig.store.tasks.listAttempts({ runId: run.id });
    expect(attempts.filter(({ counted }) => counted).map(({ outcome }) => outcome)).toEqual(['done', 'done']);
  },
);

it('gives work back that a worker which ends could not have reviewed, and its next attempt is reviewed', async () => {
  await using rig = await createRig();
  const [started, go] = [path.join(rig.stateDir, 'reviewing'), path.join(rig.stateDir, 'go')];
  const waits = `const fs = require('node:fs'); fs.writeFileSync(${JSON.stringify(started)}, '');
    while (!fs.existsSync(${JSON.stringify(go)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);`;
  const plan = reviewPlan([{ agent: writes('t0', 'x', 'x') }]);
  const { run } = await rig.submit(plan, routed(reviewer({}, { before: waits })));
  const first = await rig.worker();
  await until(() => existsSync(started), { what: 'the review has begun', timeoutMs: 30_000 });
  await first.drain({ deadlineMs: 300 });
  const [cut] = await rig.store.tasks.attempts((await taskOf(rig, run.id)).id);
  expect(cut).toMatchObject({ outcome: 'released', counted: false, review: null });
  expect(cut?.salvageRef, 'its work is found there').toMatch(/^refs\/baton\/attempts\//);
  writeFileSync(go, '');
  await rig.worker();
  await rig.settled(run.id);
  const attempts = await rig.store.tasks.attempts((await taskOf(rig, run.id)).id);
  expect(attempts.at(-1)).toMatchObject({ outcome: 'done', review: { unanswered: null } });
});

it('books nothing for a reviewer that never started', async () => {
  await using rig = await createRig();
  const plan = reviewPlan([{ agent: paid('t0', 0.2), max_cost: 1 }]);
  const { run } = await rig.submit(plan, routed({ command: ['no-such-reviewer'] }));
  await rig.worker();
  await waiting(rig, run.id);
  expect(await attemptOf(rig, run.id)).toMatchObject({ costMicroUsd: 200_000, meter: 'measured' });
});

it('starts no reviewer that costs something beside an author whose spending is not known', async () => {
  await using rig = await createRig();
  const mute = acp([{ write: { 't0.txt': 'x\n' } }], 'gpt-4o-mini');
  const plan = reviewPlan([{ agent: mute, max_cost: 1 }], { budget: { usd: 5 } });
  const { run } = await rig.submit(plan, routed(acp([cost(0.3)], 'gpt-4o')));
  await rig.worker();
  expect((await waiting(rig, run.id)).reason).toContain('what its author spent is not known');
  expect(await attemptOf(rig, run.id)).toMatchObject({ costMicroUsd: 1_000_000, meter: 'unmeasured' });
});

it('says that the money was used up where its author ended just in time', async () => {
  await using rig = await createRig();
  // What it spent comes with its answer, so that the stop finds it at its end: 2,000,000 tokens at 0.15 USD a million.
  const author = acp([{ write: { 't0.txt': 'x\n' } }, { usage: { inputTokens: 2_000_000 } }], 'gpt-4o-mini');
  const { run } = await rig.submit(reviewPlan([{ agent: author, max_cost: 0.3 }]), routed(reviewer({})));
  await rig.worker();
  expect((await waiting(rig, run.id)).reason).toBe(
    'no reviewer has read it: the max_cost of the task is used up',
  );
});

it('lists what a review cost under its reviewer', async () => {
  await using rig = await createRig();
  const plan = reviewPlan([{ agent: paid('t0', 0.2), max_cost: 1 }]);
  const { run } = await rig.submit(plan, routed(acp([cost(0.3)], 'gpt-4o')));
  await rig.worker();
  await waiting(rig, run.id);
  const entries = await rig.store.streams.usageEntries({ runId: run.id });
  // Not all of it was reported: the rest of what it might cost is the reviewer's as well.
  expect(entries.map((entry) => [entry.reviewer, entry.costMicroUsd, entry.measured])).toEqual([
    [null, 200_000, true],
    ['reviewer', 300_000, true],
    ['reviewer', 500_000, false],
  ]);
});

it('does not call a review measured whose spending could not be booked', async () => {
  await using rig = await createRig();
  const streams: Rig['store']['streams'] = {
    ...rig.store.streams,
    recordUsage: (item) =>
      item.offset < 2 ** 40
        ? rig.store.streams.recordUsage(item)
        : Promise.reject(new Error('the database says no')),
  };
  const plan = reviewPlan([{ agent: paid('t0', 0.2), max_cost: 1, max_retries: 0 }]);
  const { run } = await rig.submit(plan, routed(acp([cost(0.3)], 'gpt-4o')));
  await rig.worker({ store: { ...rig.store, streams } });
  const ended = await until(
    async () => {
      const attempt = await attemptOf(rig, run.id);
      return attempt?.endedAt ? attempt : undefined;
    },
    { what: 'the attempt has ended', timeoutMs: 30_000 },
  );
  expect(ended).toMatchObject({ meter: 'unmeasured', costMicroUsd: 1_000_000, review: null });
});

it('asks plugins before a reviewer starts, and gives it the cause of what it may send', async () => {
  await using rig = await createRig();
  const guard = definePlugin({
    ...{ name: 'guard', version: '1.0.0' },
    setup(api) {
      api.intercept('agent:beforeSpawn', { onError: 'deny' }, ({ agentName }) =>
        agentName === 'reviewer' ? { deny: 'no strangers' } : undefined,
      );
    },
  });
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const plugins = createPluginBus({
    ...{ plugins: [{ plugin: guard }], log, clock: manualClock(), directory: rig.stateDir },
  });
  await plugins.setup();
  const seen = path.join(rig.stateDir, 'cause');
  const before = `require('node:fs').writeFileSync(${JSON.stringify(seen)}, process.env.BATON_CAUSE_RUN);`;
  const plan = reviewPlan([{ agent: writes('t0', 'x') }]);
  const refused = await rig.submit(plan, routed(reviewer({}, { before })));
  const guarded = await rig.worker({ plugins, runId: refused.run.id });
  expect((await waiting(rig, refused.run.id)).reason).toContain('plugin guard: no strangers');
  await guarded.stop();
  const { run } = await rig.submit(plan, routed(reviewer({}, { before })));
  await rig.worker({ runId: run.id });
  await rig.settled(run.id);
  expect(readFileSync(seen, 'utf8')).toBe(run.id);
});
