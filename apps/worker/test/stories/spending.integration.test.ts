import { inParts, until, type FakeStep } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

const model = 'gpt-4o';
const costs = (amount: unknown, currency = 'USD'): FakeStep => ({
  update: { sessionUpdate: 'usage_update', used: 1, size: 9, cost: { amount, currency } },
});
const acp = (steps: readonly FakeStep[]) => ({
  ...scripted({ steps: [{ say: 'I am at it.' }, ...steps] }, 'acp'),
  model,
});
/** An agent that spends as much again and again, a fifth of a second apart, and would end with a file. */
const spending = (each: number, times: number): FakeStep[] => [
  ...Array.from({ length: times }, (_, at) => [costs(each * (at + 1)), { sleepMs: 200 }]).flat(),
  { write: { 'late.txt': 'late\n' } },
];
const spender = (each: number, times: number) => acp(spending(each, times));

const plan = (steps: object[], more: object = {}) => ({
  name: 'spend',
  ...more,
  stages: [{ name: 'all', steps: steps.map((step, at) => ({ key: `t${at}`, title: `t${at}`, ...step })) }],
});

const attemptsOf = async (rig: Rig, runId: string) => rig.store.tasks.listAttempts({ runId });
const ended = (rig: Rig, runId: string, least = 1) =>
  until(
    async () => {
      const attempts = await attemptsOf(rig, runId);
      const over = attempts.filter(({ endedAt }) => endedAt !== null);
      return over.length >= least && over.length === attempts.length ? attempts : undefined;
    },
    { what: 'the attempts have ended', timeoutMs: 60_000 },
  );

it('stops an agent in the middle of its prompt as soon as the budget is spent, and books all it told', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit(plan([{ agent: spender(0.6, 40) }], { budget: { usd: 1.5 } }));
  await rig.worker();
  const [attempt] = await ended(rig, run.id);
  const after = await rig.store.runs.get(run.id);
  expect(after?.spentMicroUsd).toBeGreaterThanOrEqual(1_500_000);
  expect(after?.spentMicroUsd, 'one more piece may have been told meanwhile').toBeLessThanOrEqual(3_000_000);
  expect(attempt).toMatchObject({ outcome: 'budget' });
  const entries = await rig.store.streams.usageEntries({ runId: run.id });
  expect(entries.length).toBeGreaterThanOrEqual(3);
  const { text } = await rig.store.tasks.explain(attempt?.taskId ?? '');
  expect(text).toContain(`spent to ${Math.floor((after?.spentMicroUsd ?? 0) / 15_000)} %`);
});

it('ends a try at its max_cost without any budget, for good: no other try spends it again', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit(plan([{ agent: spender(0.2, 40), max_cost: 0.5 }]));
  await rig.worker();
  await rig.settled(run.id, ['failed']);
  const attempts = await attemptsOf(rig, run.id);
  expect(attempts).toMatchObject([{ outcome: 'max_cost' }]);
  expect(attempts[0]?.costMicroUsd).toBeLessThanOrEqual(1_000_000);
  const task = (await rig.tasks(run.id)).get('t0');
  expect(task).toMatchObject({ status: 'FAILED', settled: true });
  expect((await rig.store.tasks.explain(task?.id ?? '')).text).toContain('max_cost');
});

it('starts no agent that costs something for a step that may cost nothing, and a command', async () => {
  await using rig = await createRig();
  const command = { command: ['sh', '-c', 'echo free > free.txt'] };
  const { run } = await rig.submit(
    plan([
      { agent: spender(0.2, 1), max_cost: 0 },
      { agent: command, max_cost: 0 },
    ]),
  );
  await rig.worker();
  await rig.settled(run.id, ['failed']);
  const tasks = await rig.tasks(run.id);
  const of = async (key: string) => {
    const all = await rig.store.tasks.attempts(tasks.get(key)?.id ?? '');
    return all.map(({ outcome, costMicroUsd, meter }) => ({ outcome, costMicroUsd, meter }));
  };
  expect(await of('t0')).toEqual([{ outcome: 'max_cost', costMicroUsd: 0, meter: 'none' }]);
  const { text } = await rig.store.tasks.explain(tasks.get('t0')?.id ?? '');
  expect(text).toContain('its max_cost is 0, and the agent');
  expect((await of('t1')).map(({ outcome }) => outcome)).toEqual(['done']);
});

it('does not take work that cost more than its max_cost, and takes work that cost all of it', async () => {
  await using rig = await createRig();
  const dear = acp([costs(1), { write: { 'dear.txt': 'x\n' } }]);
  const exact = acp([{ write: { 'exact.txt': 'x\n' } }, costs(0.3)]);
  const { run } = await rig.submit(
    plan([
      { agent: dear, max_cost: 0.3 },
      { agent: exact, max_cost: 0.3 },
    ]),
  );
  await rig.worker();
  await rig.settled(run.id, ['failed']);
  const tasks = await rig.tasks(run.id);
  expect([tasks.get('t0')?.status, tasks.get('t1')?.status]).toEqual(['FAILED', 'CLOSED']);
  expect((await rig.store.runs.get(run.id))?.spentMicroUsd).toBe(1_300_000);
});

it('stops a later try as soon as it has cost what the first one left over', async () => {
  await using rig = await createRig();
  const first: FakeStep[] = [{ say: 'I am at it.' }, costs(0.4), { write: { 'no.txt': 'x\n' } }];
  const agent = {
    ...scripted({ attempts: [first, [{ say: 'Again.' }, ...spending(0.2, 40)]] }, 'acp'),
    model,
  };
  const without = { name: 'without', command: ['bash', '-c', '! test -e no.txt'] };
  const { run } = await rig.submit(plan([{ agent, max_cost: 0.7 }], { gates: [without] }));
  await rig.worker();
  await rig.settled(run.id, ['failed']);
  expect(await attemptsOf(rig, run.id)).toMatchObject([{ outcome: 'rejected' }, { outcome: 'max_cost' }]);
  expect((await rig.store.runs.get(run.id))?.spentMicroUsd).toBeLessThan(2_000_000);
});

it('starts no further try when earlier ones have cost all that a task may', async () => {
  await using rig = await createRig();
  const dear = acp([{ write: { 'no.txt': 'x\n' } }, costs(0.3)]);
  const without = { name: 'without', command: ['bash', '-c', '! test -e no.txt'] };
  const { run } = await rig.submit(plan([{ agent: dear, max_cost: 0.3 }], { gates: [without] }));
  await rig.worker();
  await rig.settled(run.id, ['failed']);
  expect(await attemptsOf(rig, run.id)).toMatchObject([
    { outcome: 'rejected' },
    { outcome: 'max_cost', startCommit: null },
  ]);
  expect((await rig.store.runs.get(run.id))?.spentMicroUsd).toBe(300_000);
});

for (const [cases, tagged] of inParts(2, [
  ['nothing', [{ write: { 'a.txt': 'a\n' } }]],
  ['euros', [costs(1, 'EUR'), { write: { 'a.txt': 'a\n' } }]],
  ['NaN', [costs(NaN), { write: { 'a.txt': 'a\n' } }]],
  ['a negative cost', [costs(-5), { write: { 'a.txt': 'a\n' } }]],
  ['zero', [costs(0), { write: { 'a.txt': 'a\n' } }]],
  ['only its output', [{ usage: { inputTokens: null, outputTokens: 5 } }, { write: { 'a.txt': 'a\n' } }]],
  ['only its input', [{ usage: { inputTokens: 5, outputTokens: null } }, { write: { 'a.txt': 'a\n' } }]],
] as const))
  it.each(cases)(
    'books what an agent that reports %s could have spent, and marks it',
    tagged,
    async (_what, steps) => {
      await using rig = await createRig();
      const { run } = await rig.submit(
        plan([{ agent: acp([...steps]), scope: 'small' }], { budget: { usd: 5 } }),
      );
      await rig.worker();
      const done = await rig.settled(run.id);
      expect(done).toMatchObject({
        spentMicroUsd: 500_000,
        reservedMicroUsd: 0,
        unmeasuredMicroUsd: 500_000,
        unmeasuredAttempts: 1,
      });
      const [attempt] = await attemptsOf(rig, run.id);
      expect(attempt).toMatchObject({ meter: 'unmeasured', unmeasuredMicroUsd: 500_000 });
      expect(attempt?.unmeasuredReason).not.toBeNull();
    },
  );

it('books a command at its max_cost where the plan gives one, else at nothing', async () => {
  await using rig = await createRig();
  const command = (name: string) => scripted({ steps: [{ write: { [name]: 'x\n' } }] });
  const { run } = await rig.submit(plan([{ agent: command('a') }, { agent: command('b'), max_cost: 0.25 }]));
  await rig.worker();
  await rig.settled(run.id);
  const tasks = await rig.tasks(run.id);
  const attempts = await attemptsOf(rig, run.id);
  const of = (key: string) => attempts.find(({ taskId }) => taskId === tasks.get(key)?.id);
  expect(of('t0')).toMatchObject({ meter: 'none', costMicroUsd: 0 });
  expect(of('t1')).toMatchObject({ meter: 'unmeasured', costMicroUsd: 250_000 });
});

it('refuses an agent that proved not to tell its spending, where the plan says so', async () => {
  await using rig = await createRig();
  const agents = { quiet: { ...acp([{ append: { 'a.txt': 'a\n' } }]), warm: true } };
  const { run } = await rig.submit(
    plan([{ agent: 'quiet' }, { agent: 'quiet', depends_on: ['t0'] }], {
      ...{ agents, budget: { usd: 9, unmeasured: 'refuse' } },
    }),
  );
  await rig.worker();
  const task = (await rig.tasks(run.id)).get('t1');
  const told = await until(
    async () => {
      const explained = await rig.store.tasks.explain(task?.id ?? '');
      return explained.cause === 'price_unknown' ? explained : undefined;
    },
    { what: 'the second is refused', timeoutMs: 60_000 },
  );
  expect(told.text).toContain('does not report all that it spends');
});
