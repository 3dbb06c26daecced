import { replayCheckpoints } from '@baton/fsm-core';
import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { scriptedMind } from '../helpers/model.ts';
import { createRig, type Rig } from '../helpers/rig.ts';

function single(agent: unknown, more: Record<string, unknown> = {}) {
  return { name: 'mind', stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', agent, ...more }] }] };
}

async function attemptsOf(rig: Rig, runId: string) {
  const task = (await rig.tasks(runId)).get('job');
  return rig.store.tasks.attempts(task?.id ?? '');
}

const write = (file: string) => ({ tool: 'write_file', input: { path: file, content: `${file}\n` } });

it('lands what an in-process agent wrote, books its tokens, and keeps its checkpoints in the store', async () => {
  await using rig = await createRig();
  await using mind = await scriptedMind([
    {
      name: 'job',
      when: 'job',
      turns: [
        { do: [write('a.txt')], usage: { input: 1_000, output: 50 } },
        { say: 'Wrote it.', usage: { input: 1_100, output: 10 } },
      ],
    },
  ]);
  const { run } = await rig.submit(single(mind.agent));
  await rig.worker();
  await rig.settled(run.id);
  expect(await rig.repo.git('show', `${run.target}:a.txt`)).toBe('a.txt');
  const [attempt] = await attemptsOf(rig, run.id);
  expect(attempt).toMatchObject({
    outcome: 'done',
    summary: 'Wrote it.',
    inputTokens: 2_100,
    outputTokens: 60,
  });
  const log = await rig.store.streams.checkpoints(attempt?.id ?? '');
  expect(replayCheckpoints(log)).toMatchObject({ state: 'completed', context: { finalResult: 'Wrote it.' } });
  const [session] = await rig.store.tasks.sessions({ runId: run.id });
  expect(session).toMatchObject({ adapter: 'in-process', status: 'dead', abortReason: null, exitCode: 0 });
});

it('continues from its checkpoints when the process of its agent is killed, in the same try', async () => {
  await using rig = await createRig();
  await using mind = await scriptedMind([
    {
      name: 'job',
      when: 'job',
      turns: [{ do: [write('a.txt')] }, { do: [write('b.txt')], delayMs: 1_500 }, { say: 'Both.' }],
    },
  ]);
  const { run } = await rig.submit(single(mind.agent));
  await rig.worker();
  const pid = await until(
    async () => {
      const [attempt] = await attemptsOf(rig, run.id);
      const log = attempt === undefined ? [] : await rig.store.streams.checkpoints(attempt.id);
      const [session] = await rig.store.tasks.sessions({ runId: run.id, live: true });
      return log.some((one) => one.timing === 'TOOL_CALL_COMPLETED') ? session?.pid : undefined;
    },
    { what: 'the first tool call is kept', timeoutMs: 30_000 },
  );
  process.kill(pid, 'SIGKILL');
  await rig.settled(run.id);
  const attempts = await attemptsOf(rig, run.id);
  expect(attempts.map((attempt) => attempt.outcome)).toEqual(['done']);
  expect(await rig.repo.git('show', `${run.target}:a.txt`)).toBe('a.txt');
  expect(await rig.repo.git('show', `${run.target}:b.txt`)).toBe('b.txt');
  const log = await rig.store.streams.checkpoints(attempts[0]?.id ?? '');
  expect(log.filter((one) => one.timing === 'TOOL_CALL_COMPLETED')).toHaveLength(2);
});

it(
  'fails a task by its step limit, says why, and gives up when no try is left',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    await using mind = await scriptedMind(
      [{ name: 'job', when: 'job', turns: [{ do: [write('a.txt')] }, { do: [write('b.txt')] }] }],
      { max_steps: 1 },
    );
    const { run } = await rig.submit(single(mind.agent, { max_retries: 0 }));
    await rig.worker();
    await rig.settled(run.id, ['failed']);
    const task = (await rig.tasks(run.id)).get('job');
    const moves = await rig.store.tasks.history({ machine: 'task', entityId: task?.id ?? '' });
    expect(moves.at(-1)).toMatchObject({ to: 'FAILED', transitionReason: 'max_turns' });
  },
);

it('asks for a model where none is named, and starts nothing', async () => {
  await using rig = await createRig();
  const { run, tasks } = await rig.submit(single({ in_process: null }));
  const worker = await rig.worker({ runId: run.id });
  expect(await worker.asked).toContain('needs a model');
  const tries = await rig.store.tasks.attempts(tasks[0]?.id ?? '');
  expect(tries.map(({ outcome, counted }) => [outcome, counted])).toEqual([['agent_unavailable', false]]);
  const told = await rig.store.tasks.explain(tasks[0]?.id ?? '');
  expect(told.cause).toBe('run_paused');
  expect(told.text).toContain('needs a model');
});
