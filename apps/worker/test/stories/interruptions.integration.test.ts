import { existsSync } from 'node:fs';
import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

const by = { actor: 'operator:test', reason: 'a story' };

function single(agent: ReturnType<typeof scripted>, more: Record<string, unknown> = {}) {
  return { name: 'single', stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', agent, ...more }] }] };
}

async function job(rig: Rig, runId: string) {
  const task = (await rig.tasks(runId)).get('job');
  if (!task) throw new Error('the run has no job');
  return task;
}

function inStatus(rig: Rig, { runId, status }: { runId: string; status: string }) {
  return until(async () => ((await job(rig, runId)).status === status ? true : undefined), {
    what: `the job is ${status}`,
    timeoutMs: 30_000,
  });
}

it('salvages the work of an agent that is stopped, gives the task back, and a later worker finishes it', async () => {
  await using rig = await createRig();
  const marker = `${rig.stateDir}/began`;
  const agent = scripted({
    attempts: [
      [{ write: { 'half.txt': 'half\n', [marker]: 'x' } }, { hang: true }],
      [{ write: { 'whole.txt': 'whole\n' } }],
    ],
  });
  const { run } = await rig.submit(single(agent));
  const first = await rig.worker();
  await inStatus(rig, { runId: run.id, status: 'IN_PROGRESS' });
  await until(() => existsSync(marker), { what: 'the agent wrote' });
  await first.stop();
  const attempts = await rig.store.tasks.attempts((await job(rig, run.id)).id);
  expect(attempts.map((attempt) => [attempt.outcome, attempt.counted])).toEqual([['released', false]]);
  expect(attempts[0]?.salvageRef).toMatch(/^refs\/baton\/salvage\//);
  await rig.worker();
  await rig.settled(run.id);
  expect(await rig.repo.git('show', `${run.target}:whole.txt`)).toBe('whole');
});

it('stops a running agent when its task is cancelled', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit(single(scripted({ steps: [{ hang: true }] })));
  await rig.worker();
  await inStatus(rig, { runId: run.id, status: 'IN_PROGRESS' });
  await rig.store.tasks.cancel((await job(rig, run.id)).id, by);
  await inStatus(rig, { runId: run.id, status: 'CANCELLED' });
  await until(async () => (await rig.store.tasks.sessions({ runId: run.id, live: true })).length === 0, {
    what: 'its agent is gone',
  });
});

it('holds finished work for a person and lands it after the yes', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit(
    single(scripted({ steps: [{ write: { 'a.txt': 'a\n' } }] }), { approval: true }),
  );
  await rig.worker();
  await inStatus(rig, { runId: run.id, status: 'PENDING_APPROVAL' });
  const [waiting] = await rig.store.approvals.list({ runId: run.id, status: 'waiting' });
  expect((await rig.store.tasks.explain((await job(rig, run.id)).id)).cause).toBe('approval');
  await rig.store.approvals.decide(waiting?.id ?? '', { ...by, approve: true, nonce: waiting?.nonce ?? '' });
  await rig.settled(run.id);
  expect(await rig.repo.git('show', `${run.target}:a.txt`)).toBe('a');
});

it('ends an agent that has spent the budget and says why the run waits', async () => {
  await using rig = await createRig();
  const agent = scripted(
    {
      steps: [
        { usage: { inputTokens: 1000, outputTokens: 1000, costUsd: 3 } },
        { write: { 'a.txt': 'a\n' } },
      ],
    },
    'acp',
  );
  const model = { ...agent, model: 'gpt-4o' };
  const { run } = await rig.submit({ ...single(model, { max_cost: 1 }), budget: { usd: 1 } });
  await rig.worker();
  await until(async () => ((await rig.store.runs.get(run.id))?.spentMicroUsd ?? 0) > 0, {
    what: 'usage is booked',
    timeoutMs: 30_000,
  });
  await until(async () => (await rig.store.tasks.sessions({ runId: run.id, live: true })).length === 0, {
    what: 'the agent has ended',
  });
  const again = await rig.store.tasks.attempts((await job(rig, run.id)).id);
  expect(again.length).toBeLessThanOrEqual(2);
  expect((await rig.store.runs.get(run.id))?.spentMicroUsd).toBe(3_000_000);
});

it('takes back the task of an agent that was killed and counts the try', async () => {
  await using rig = await createRig();
  const agent = scripted({
    attempts: [[{ write: { 'half.txt': 'half\n' } }, { crash: 'SIGKILL' }], [{ write: { 'a.txt': 'a\n' } }]],
  });
  const { run } = await rig.submit(single(agent));
  await rig.worker();
  await until(
    async () => (await rig.store.tasks.attempts((await job(rig, run.id)).id))[0]?.outcome === 'crashed',
    {
      what: 'the crash is settled',
      timeoutMs: 30_000,
    },
  );
  const task = await job(rig, run.id);
  expect(task.tries).toBe(1);
  const explained = await rig.store.tasks.explain(task.id);
  expect(['not_before', 'running', 'settled']).toContain(explained.cause);
  const moves = (await rig.store.tasks.history({ machine: 'task', entityId: task.id })).map(
    (move) => move.to,
  );
  expect(moves).toContain('ORPHANED');
});
