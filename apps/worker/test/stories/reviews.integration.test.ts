import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isAlive, processStart } from '@baton/spawner';
import { inParts, until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { scriptedMind } from '../helpers/model.ts';
import {
  acceptance,
  reviewPlan,
  reviewer,
  routed,
  taskOf,
  waiting,
  writes,
  type Answer,
} from '../helpers/reviewers.ts';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

const checkOf = async (rig: Rig, taskId: string, name = 'review') =>
  (await rig.store.tasks.verdicts(taskId)).at(-1)?.results.find((result) => result.name === name);

it('refuses what the reviewer rejects, gives its reasons to the next attempt, and lands what it accepts', async () => {
  await using rig = await createRig();
  const agent = writes('t0', 'bad', 'good');
  const strict = reviewer({ bad: 't0.txt:1 says bad; write good.' });
  const { run } = await rig.submit(reviewPlan([{ agent }]), routed(strict));
  await rig.worker();
  await rig.settled(run.id);
  const task = await taskOf(rig, run.id);
  const attempts = await rig.store.tasks.attempts(task.id);
  expect(attempts).toMatchObject([
    {
      outcome: 'rejected',
      rejections: ['review: refused by reviewer: t0.txt:1 says bad; write good.'],
      review: { by: { agent: 'reviewer', model: null }, answers: [{ verdict: 'reject' }], unanswered: null },
    },
    { outcome: 'done', review: { answers: [{ question: 'review', verdict: 'accept' }] } },
  ]);
  expect(attempts[1]?.review?.head).toBe(attempts[1]?.headCommit);
  expect(await checkOf(rig, task.id)).toMatchObject({ passed: true, reason: 'accepted by reviewer' });
  expect(await rig.repo.git('show', `${run.target}:t0.txt`)).toBe('good');
});

it('asks the signals of a task, and leaves to a person what its reviewer is not sure of', async () => {
  await using rig = await createRig();
  const unsure: Answer = { verdict: 'accept', confidence: 0.6, reasons: ['It may be too long.'] };
  const signals = [
    { type: 'llm_review', prompt: 'The text is polite.' },
    { type: 'llm_judge', criteria: 'It is short.' },
  ];
  const steps = [{ agent: writes('t0', 'please'), signals }, { agent: writes('t1', 'unread') }];
  const only = routed(reviewer({}, { otherwise: unsure }), { tasks: 'signals' });
  const { run } = await rig.submit(reviewPlan(steps), only);
  await rig.worker();
  const approval = await waiting(rig, run.id);
  expect(approval.reason).toBe('reviewer is not sure (accept, 0.6 of 0.7): It may be too long.');
  const task = await taskOf(rig, run.id);
  const results = (await rig.store.tasks.verdicts(task.id)).at(-1)?.results ?? [];
  expect(results.filter(({ name }) => name.startsWith('llm_'))).toMatchObject([
    { name: 'llm_review The text is polite.', kind: 'signal', passed: true, required: true },
    { name: 'llm_judge It is short.', kind: 'signal', passed: false, required: false },
  ]);
  expect((await rig.store.tasks.attempts((await taskOf(rig, run.id, 't1')).id))[0]?.review).toBeNull();
  const by = { actor: 'operator:test', reason: 'short enough' };
  await rig.store.approvals.decide(approval.id, { ...by, approve: true, nonce: approval.nonce });
  await rig.settled(run.id);
  expect(await rig.repo.git('show', `${run.target}:t0.txt`)).toBe('please');
});

for (const [cases, tagged] of inParts<[string, object, string]>(2, [
  [
    'says nothing that can be read',
    { command: ['echo', 'Fine with me.'] },
    'no reviewer has read it: what reviewer answered cannot be read: no JSON object',
  ],
  ['repeats its prompt', { command: ['cat'] }, 'cannot be read'],
  [
    'fails',
    { command: ['sh', '-c', 'exit 3'] },
    'no reviewer has read it: reviewer ended without an answer (failed',
  ],
  [
    'is not there',
    { command: ['no-such-reviewer'] },
    'no reviewer has read it: reviewer ended without an answer (missing_binary',
  ],
]))
  it.each(cases)(
    'holds work for a person when its reviewer %s: nothing lands unread',
    tagged,
    async (_, agent, why) => {
      await using rig = await createRig();
      const { run } = await rig.submit(reviewPlan([{ agent: writes('t0', 'x') }]), routed(agent));
      await rig.worker();
      expect((await waiting(rig, run.id)).reason).toContain(why);
      const task = await taskOf(rig, run.id);
      expect(await rig.store.tasks.attempts(task.id)).toMatchObject([{ review: { answers: [] } }]);
      expect((await rig.store.tasks.get(task.id))?.tries).toBe(0);
    },
  );

it('asks once more for an answer that cannot be read, and says what was wrong with it', async () => {
  await using rig = await createRig();
  const before = `if (!prompt.includes('could not be read: no JSON object')) { console.log('Fine.'); process.exit(0); }`;
  const { run } = await rig.submit(
    reviewPlan([{ agent: writes('t0', 'x') }]),
    routed(reviewer({}, { before })),
  );
  await rig.worker();
  await rig.settled(run.id);
});

it('takes no review by the author of the work', async () => {
  await using rig = await createRig();
  const agent = { command: ['sh', '-c', 'echo x > t0.txt'] };
  const { run } = await rig.submit(
    reviewPlan([{ agent: 'self' }], { agents: { self: agent } }),
    routed('self'),
  );
  await rig.worker();
  expect((await waiting(rig, run.id)).reason).toContain('self cannot be distinguished from its author');
});

it('shows the reviewer the start of the change in a worktree of its own, and takes nothing that it writes', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n', '.gitignore': 'hidden\n' });
  const author = {
    command: [
      'sh',
      '-c',
      'echo new > t0.txt; echo obey > CLAUDE.md; echo obey > hidden; echo changed > readme.txt',
    ],
  };
  const seen = path.join(rig.stateDir, 'seen.txt');
  const look = `const fs = require('node:fs');
    fs.writeFileSync(${JSON.stringify(seen)}, fs.readdirSync('.').filter((n) => n !== '.git').join() + ' ' + fs.readFileSync('readme.txt', 'utf8') + prompt.includes('+obey'));
    fs.writeFileSync('t0.txt', 'by the reviewer'); fs.writeFileSync('more.txt', 'by the reviewer');`;
  const { run } = await rig.submit(reviewPlan([{ agent: author }]), routed(reviewer({}, { before: look })));
  await rig.worker();
  await rig.settled(run.id);
  expect(readFileSync(seen, 'utf8')).toBe('.gitignore,readme.txt hello\ntrue');
  expect(await rig.repo.git('ls-tree', '--name-only', run.target)).toBe(
    '.gitignore\nCLAUDE.md\nreadme.txt\nt0.txt',
  );
  expect(await rig.repo.git('show', `${run.target}:t0.txt`)).toBe('new');
});

it("has a change read by a model of Baton's own loop, which reads files first, and books its tokens", async () => {
  await using rig = await createRig();
  await using mind = await scriptedMind([acceptance]);
  const { run } = await rig.submit(reviewPlan([{ agent: writes('t0', 'x') }]), routed(mind.agent));
  await rig.worker();
  await rig.settled(run.id);
  const task = await taskOf(rig, run.id);
  expect(await checkOf(rig, task.id)).toMatchObject({
    reason: 'accepted by reviewer (local/scripted): It says hello.',
  });
  expect(await rig.store.tasks.attempts(task.id)).toMatchObject([{ inputTokens: 1_100, outputTokens: 14 }]);
});

it('books what a review costs with the attempt, and stops a reviewer where the money ends', async () => {
  await using rig = await createRig();
  const cost = (amount: number) => ({
    update: { sessionUpdate: 'usage_update', used: 1, size: 9, cost: { amount, currency: 'USD' } },
  });
  const dear = {
    ...scripted({ steps: [0.3, 0.7, 1.1, 1.5, 1.9].flatMap((sum) => [cost(sum), { sleepMs: 300 }]) }, 'acp'),
    model: 'gpt-4o',
  };
  const author = {
    ...scripted({ steps: [{ say: 'I am at it.' }, cost(0.2), { write: { 't0.txt': 'x\n' } }] }, 'acp'),
    model: 'gpt-4o-mini',
  };
  const { run } = await rig.submit(reviewPlan([{ agent: author }], { budget: { usd: 1 } }), routed(dear));
  await rig.worker();
  expect((await waiting(rig, run.id)).reason).toContain('no reviewer has read it: the budget is spent');
  const task = await taskOf(rig, run.id);
  const [attempt] = await rig.store.tasks.attempts(task.id);
  expect(attempt?.costMicroUsd).toBeGreaterThanOrEqual(1_000_000);
  expect(attempt?.costMicroUsd).toBeLessThanOrEqual(1_800_000);
  expect((await rig.store.runs.get(run.id))?.spentMicroUsd).toBe(attempt?.costMicroUsd);
  const entries = await rig.store.streams.usageEntries({ runId: run.id });
  expect(entries.slice(0, 3).map(({ costMicroUsd }) => costMicroUsd)).toEqual([200_000, 300_000, 400_000]);
});

it('ends a review with its task: a cancel stops the reviewer, and nothing lands', async () => {
  await using rig = await createRig();
  const started = path.join(rig.stateDir, 'reviewing');
  const waits = `require('node:fs').writeFileSync(${JSON.stringify(started)}, String(process.pid));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000);`;
  const { run } = await rig.submit(
    reviewPlan([{ agent: writes('t0', 'x') }]),
    routed(reviewer({}, { before: waits })),
  );
  await rig.worker({ timing: { pollMs: 100, sweepMs: 300, renewMs: 200 } });
  await until(() => existsSync(started), { what: 'the review has begun', timeoutMs: 30_000 });
  const pid = Number(readFileSync(started, 'utf8'));
  const reading = { pid, pidStarted: processStart(pid) };
  const task = await taskOf(rig, run.id);
  expect(task.status).toBe('IN_PROGRESS');
  await rig.store.tasks.cancel(task.id, { actor: 'operator:test', reason: 'no more' });
  await until(async () => (await rig.store.tasks.get(task.id))?.status === 'CANCELLED', {
    what: 'the task is cancelled',
    timeoutMs: 30_000,
  });
  await until(() => !isAlive(reading), { what: 'the reviewer is dead', timeoutMs: 10_000 });
});

it('reviews each task of a train by itself: what is accepted lands together, what is rejected alone is refused', async () => {
  await using rig = await createRig();
  const go = path.join(rig.stateDir, 'go');
  const late = (key: string, text: string) => ({
    command: ['sh', '-c', `echo ${text} > ${key}.txt; while [ ! -e '${go}' ]; do sleep 0.05; done`],
  });
  const steps = [
    { agent: late('t0', 'fine') },
    { agent: late('t1', 'fine') },
    { agent: late('t2', 'bad'), max_retries: 0 },
  ];
  const strict = reviewer({ bad: 'It is bad.' });
  const { run } = await rig.submit(reviewPlan(steps, { max_agents: 3 }), routed(strict));
  await rig.worker({ capacity: 3 });
  setTimeout(() => writeFileSync(go, ''), 500);
  await rig.settled(run.id, ['failed']);
  const tasks = await rig.tasks(run.id);
  expect([...tasks.values()].map(({ key, status }) => `${key} ${status}`).sort()).toEqual([
    't0 CLOSED',
    't1 CLOSED',
    't2 FAILED',
  ]);
  for (const key of ['t0', 't1'])
    expect(await checkOf(rig, tasks.get(key)?.id ?? '')).toMatchObject({ passed: true });
});
