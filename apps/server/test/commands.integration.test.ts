import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BatonClient } from '../src/client.ts';
import { draft, nowhere, twoSteps } from './plans.ts';
import { createBench, type Bench } from './support.ts';

let bench: Bench;
let ada: BatonClient;
let bob: BatonClient;
let worker: BatonClient;

beforeAll(async () => {
  bench = await createBench();
  const [one, two] = [await bench.serve(), await bench.serve()];
  ada = await bench.client(one, 'operator');
  bob = await bench.client(two, 'operator');
  worker = await bench.client(two, 'worker');
});
afterAll(() => bench[Symbol.asyncDispose]());

const submission = () => ({
  plan: twoSteps({ budget: { usd: 1 } }),
  repo: { ...nowhere, location: `${nowhere.location}/${randomUUID()}` },
});
const submit = () => ada.plans.submit.mutate(submission());
const inUse = { data: { httpStatus: 409, baton: { code: 'CONFLICT', at: 'commandId' } } };

test('the id of a command belongs to the key that sends it: another key has its own effect under the same id', async () => {
  const { run } = await submit();
  const cap = (capMicroUsd: number) => ({ run: run.slug, capMicroUsd, reason: 'more', commandId: 'raise-1' });
  expect(await ada.runs.setBudget.mutate(cap(2_000_000))).toMatchObject({ budgetMicroUsd: 2_000_000 });
  expect(await bob.runs.setBudget.mutate(cap(3_000_000))).toMatchObject({ budgetMicroUsd: 3_000_000 });
});

test('a command with the id of another one of the same key is refused, not answered as done', async () => {
  const { run, tasks } = await submit();
  const cap = { run: run.slug, capMicroUsd: 2_000_000, reason: 'more', commandId: 'raise-2' };
  await ada.runs.setBudget.mutate(cap);
  await expect(ada.runs.setBudget.mutate({ ...cap, capMicroUsd: 5_000_000 })).rejects.toMatchObject(inUse);
  const other = await submit();
  await expect(ada.runs.setBudget.mutate({ ...cap, run: other.run.slug })).rejects.toMatchObject(inUse);
  expect(await ada.runs.get.query({ run: run.id })).toMatchObject({ budgetMicroUsd: 2_000_000 });
  const cancel = { taskId: tasks[1]?.id ?? '', reason: 'no', commandId: 'raise-2' };
  expect(await ada.tasks.cancel.mutate(cancel)).toMatchObject({ status: 'CANCELLED' });
});

test('of two commands that come under one id at one moment, one has its effect and the other is refused', async () => {
  const { run } = await submit();
  const caps = [2, 3, 4, 5].map((usd) => usd * 1_000_000);
  const answers = await Promise.allSettled(
    caps.map((capMicroUsd) =>
      ada.runs.setBudget.mutate({ run: run.slug, capMicroUsd, reason: 'more', commandId: 'raise-3' }),
    ),
  );
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason).toMatchObject(inUse);
});

test('a plan that is submitted again after its answer was lost is the same run', async () => {
  const given = { ...submission(), commandId: 'submit-1' };
  const [first, beside] = await Promise.all([
    ada.plans.submit.mutate(given),
    ada.plans.submit.mutate({ ...given }),
  ]);
  const again = await ada.plans.submit.mutate(given);
  expect([beside.run.id, again.run.id]).toEqual([first.run.id, first.run.id]);
  expect(again.tasks.map(({ id }) => id).sort()).toEqual(first.tasks.map(({ id }) => id).sort());
  await expect(
    ada.plans.submit.mutate({ ...given, plan: twoSteps({ name: 'other' }) }),
  ).rejects.toMatchObject(inUse);
  expect((await bob.plans.submit.mutate(given)).run.id).not.toBe(first.run.id);
});

test('tasks that are added again after the answer was lost are the same tasks', async () => {
  const { run } = await submit();
  const given = { runId: run.id, tasks: [draft('more')], commandId: 'add-1' };
  const [first] = await ada.tasks.create.mutate(given);
  const [again] = await ada.tasks.create.mutate(given);
  expect(again?.id).toBe(first?.id);
});

test('a repeated pause does not undo the resume that came in between, nor a repeated resume a pause', async () => {
  const { run } = await submit();
  await ada.plans.approve.mutate({ run: run.id, reason: 'go' });
  const pause = { run: run.slug, reason: 'lunch', commandId: 'pause-1' };
  const resume = { run: run.slug, reason: 'back', commandId: 'resume-1' };
  expect(await ada.runs.pause.mutate(pause)).toMatchObject({ status: 'paused' });
  expect(await ada.runs.resume.mutate(resume)).toMatchObject({ status: 'running' });
  expect(await ada.runs.pause.mutate(pause)).toMatchObject({ status: 'running' });
  await bob.runs.pause.mutate({ run: run.slug, reason: 'wait' });
  expect(await ada.runs.resume.mutate(resume)).toMatchObject({ status: 'paused' });
  // A pause of what was paused already changed nothing, and has been carried out.
  const late = { ...pause, reason: 'wait', commandId: 'pause-2' };
  await ada.runs.pause.mutate(late);
  await bob.runs.resume.mutate({ run: run.slug, reason: 'go on' });
  expect(await ada.runs.pause.mutate(late)).toMatchObject({ status: 'running' });
});

test('a repeated cancel of a run has its first answer, also when a repeated pause finds the run ended', async () => {
  const { run } = await submit();
  const pause = { run: run.slug, reason: 'lunch', commandId: 'pause-3' };
  const cancel = { run: run.slug, reason: 'enough', commandId: 'cancel-3' };
  await ada.runs.pause.mutate(pause);
  expect(await ada.runs.cancel.mutate(cancel)).toMatchObject({ status: 'cancelled' });
  expect(await ada.runs.cancel.mutate(cancel)).toMatchObject({ status: 'cancelled' });
  expect(await ada.runs.pause.mutate(pause)).toMatchObject({ status: 'cancelled' });
  const history = await bench.store.tasks.history({ machine: 'run', entityId: run.id });
  expect(history.filter(({ to }) => to === 'cancelled')).toHaveLength(1);
});

test('a claim that is repeated after its answer was lost gives the same claim, and nothing once that has begun', async () => {
  const { run, tasks } = await submit();
  await ada.plans.approve.mutate({ run: run.id, reason: 'go' });
  const workerId = randomUUID();
  await worker.workers.register.mutate({
    ...{ id: workerId, name: 'far', host: 'far', pid: 7, pidStarted: '1', bootId: 'b' },
    ...{ capacity: 1, version: '0.0.0' },
  });
  const claim = { taskId: tasks[0]?.id ?? '', workerId, capabilities: { host: 'far' }, commandId: 'claim-1' };
  const first = await worker.tasks.claim.mutate(claim);
  expect(first?.tasks).toHaveLength(1);
  expect(await worker.tasks.claim.mutate(claim)).toEqual(first);
  const attempt = first?.tasks[0]?.attempt;
  const held = {
    sessionId: first?.sessionId ?? '',
    holding: { attemptId: attempt?.id ?? '', fence: attempt?.fence ?? 0 },
  };
  await worker.tasks.release.mutate({ ...held, reason: 'busy', commandId: 'claim-1' });
  // Given back, the task is ready again in a while: the same command does not take it a second time.
  expect(await worker.tasks.claim.mutate(claim)).toBeNull();
  expect(await bench.store.tasks.attempts(claim.taskId)).toHaveLength(1);
});

test('a command acts on no run that only begins with the name it gives; a read finds it', async () => {
  const { run } = await submit();
  const reason = 'meant another one';
  const start = run.slug.slice(0, -1);
  const refused = { data: { httpStatus: 404, baton: { code: 'NOT_FOUND', at: 'run' } } };
  for (const command of [
    () => ada.plans.reject.mutate({ run: start, reason }),
    () => ada.plans.approve.mutate({ run: start, reason }),
    () => ada.runs.pause.mutate({ run: start, reason }),
    () => ada.runs.resume.mutate({ run: start, reason }),
    () => ada.runs.setBudget.mutate({ run: start, capMicroUsd: null, reason }),
    () => ada.runs.cancel.mutate({ run: start, reason }),
  ])
    await expect(command()).rejects.toMatchObject(refused);
  expect(await ada.runs.get.query({ run: start })).toEqual(run);
  await ada.runs.setBudget.mutate({ run: run.slug, capMicroUsd: null, reason });
  expect(await ada.runs.cancel.mutate({ run: run.slug, reason })).toMatchObject({ status: 'cancelled' });
});
