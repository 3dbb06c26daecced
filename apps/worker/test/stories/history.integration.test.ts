import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { until } from '@baton/testkit';
import type { Attempt } from '@baton/task-store';
import { expect, it } from 'vitest';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

const minute = 60_000;

function stepsOf(n: number, more: Record<string, unknown> = {}) {
  return Array.from({ length: n }, (_, at) => ({ key: `s${at}`, title: `s${at}`, scope: 'small', ...more }));
}

/** Adds a line to a file of each task's own. */
const writer = scripted({ steps: [{ run: ['sh', '-c', 'echo "$BATON_TASK_FILE" >> "$(date +%N).txt"'] }] });

function timeoutOf(attempt: Attempt | undefined, key: string): unknown {
  return (attempt?.route as { timeouts: Record<string, unknown> } | undefined)?.timeouts[key];
}

async function firstAttempt(rig: Rig, runId: string): Promise<Attempt | undefined> {
  const [task] = [...(await rig.tasks(runId)).values()];
  return (await rig.store.tasks.attempts(task?.id ?? ''))[0];
}

it('learns the time-out of a role and scope from what landed before', { tags: ['long'] }, async () => {
  await using rig = await createRig();
  const agents = { agents: { quick: writer }, agent: 'quick' };
  await rig.worker();
  const { run: first } = await rig.submit({
    name: 'first',
    ...agents,
    stages: [{ name: 'all', steps: stepsOf(8) }],
  });
  await rig.settled(first.id);
  const cold = await firstAttempt(rig, first.id);
  expect(timeoutOf(cold, 's0')).toMatchObject({ timeoutMs: 15 * minute, basis: 'scope', samples: 0 });
  const { run: second } = await rig.submit({
    name: 'second',
    ...agents,
    stages: [{ name: 'all', steps: stepsOf(1) }],
  });
  await rig.settled(second.id);
  const warm = await firstAttempt(rig, second.id);
  expect(timeoutOf(warm, 's0')).toMatchObject({ timeoutMs: 5 * minute, basis: 'agent', samples: 8 });
  const [session] = await rig.store.tasks.sessions({ runId: second.id });
  const allowed = (session?.deadlineAt?.getTime() ?? 0) - (session?.createdAt.getTime() ?? 0);
  expect(allowed).toBeGreaterThan(4.5 * minute);
  expect(allowed).toBeLessThan(5.5 * minute);
});

it(
  'stops after as many attempts as the plan allows, though tries are left, and nudges the agent before the last',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    const recorded = path.join(rig.stateDir, 'prompts.jsonl');
    const { run } = await rig.submit({
      name: 'futile',
      stages: [
        {
          name: 'all',
          steps: stepsOf(1, {
            agent: scripted({ steps: [{ record: recorded }] }),
            signals: [{ type: 'path_exists', path: 'never.txt' }],
            max_retries: 9,
            max_attempts: 5,
          }),
        },
      ],
    });
    await rig.worker();
    await rig.settled(run.id, ['failed']);
    const task = (await rig.tasks(run.id)).get('s0');
    expect(task).toMatchObject({ status: 'FAILED', settled: true, tries: 5 });
    const history = await rig.store.tasks.history({ machine: 'task', entityId: task?.id ?? '' });
    expect(history.at(-1)?.metadata).toMatchObject({ policy: { code: 'RETRY_BUDGET_EXCEEDED' } });
    const prompts = (await readFile(recorded, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { prompt: string }).prompt);
    expect(prompts).toHaveLength(5);
    expect(prompts[2]).not.toContain('came to nothing');
    expect(prompts[3]).toContain('3 of 5 attempts at this work came to nothing');
    expect(prompts[4]).toContain('this is the last one');
  },
);

it('asks a person about agents that tampered, and lets others of the same plan land', async () => {
  await using rig = await createRig({ 'a.test.js': 'test("adds", () => { expect(1 + 1).toBe(2); });\n' });
  const plan = (name: string, agent: unknown) => ({
    name,
    trust: 'enforce',
    agents: { mason: agent },
    agent: 'mason',
    stages: [{ name: 'all', steps: [{ key: 'only', title: 'only', max_retries: 0 }] }],
  });
  await rig.worker();
  const cheat = scripted({ steps: [{ write: { 'new.txt': 'new\n' } }, { delete: ['a.test.js'] }] });
  const honest = scripted({ steps: [{ write: { 'ok.txt': 'ok\n' } }] });
  const { run: before } = await rig.submit(plan('before', honest));
  await rig.settled(before.id);
  const { run: bad } = await rig.submit(plan('bad', cheat));
  await rig.settled(bad.id, ['waiting']);
  const [asked] = await rig.store.approvals.list({ runId: bad.id });
  expect(asked?.reason).toContain('a.test.js');
  const { run: after } = await rig.submit(plan('after', honest));
  await rig.settled(after.id, ['waiting']);
  const [held] = await rig.store.approvals.list({ runId: after.id });
  expect(held?.reason).toMatch(/trust is PROBATIONARY, to land without a person it takes TRUSTED; mason/);
  const [verdict] = await rig.store.tasks.verdicts(held?.taskId ?? '');
  expect(verdict?.results).toContainEqual(expect.objectContaining({ name: 'trust', passed: false }));
  const yes = { actor: 'operator:test', reason: 'read it', approve: true, nonce: held?.nonce ?? '' };
  await rig.store.approvals.decide(held?.id ?? '', yes);
  await rig.settled(after.id);
  await until(async () => (await rig.store.tasks.landings({ runId: after.id })).length === 1, {
    what: 'it landed',
  });
});
