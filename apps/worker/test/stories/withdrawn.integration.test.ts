import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir, until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig } from '../helpers/rig.ts';

/** Two tasks for an agent whose program is not there, and one for an agent that is. */
const planOf = (program: string) => ({
  name: 'withdrawn',
  batch_size: 1,
  agents: {
    gone: { command: [program] },
    here: { command: ['bash', '-c', 'cat >/dev/null; echo x > c.txt'] },
  },
  stages: [
    {
      name: 's',
      steps: [
        { key: 'a', title: 'a', agent: 'gone' },
        { key: 'b', title: 'b', agent: 'gone' },
        { key: 'c', title: 'c', agent: 'here' },
      ],
    },
  ],
});
const script = '#!/bin/bash\ncat >/dev/null; echo x > "file-$RANDOM$RANDOM.txt"\n';

it('continues without an agent that cannot be started, says so, and takes it again when it is there', async () => {
  await using rig = await createRig();
  await using folder = await tempDir();
  const program = path.join(folder.path, 'agent');
  const { run, tasks } = await rig.submit(planOf(program));
  const worker = await rig.worker({ timing: { withdrawnMs: 500 } });
  await until(async () => (await rig.tasks(run.id)).get('c')?.status === 'CLOSED' || undefined, {
    what: 'the other agent has landed its work',
    timeoutMs: 30_000,
  });
  const said = await until(
    async () => {
      const told = await rig.store.tasks.explain(tasks[1]?.id ?? '');
      return told.cause === 'agent_unavailable' ? told : undefined;
    },
    { what: 'explain names the agent', timeoutMs: 20_000 },
  );
  expect(said.text).toContain('gone');
  const shown = (await rig.store.workers.list()).find(({ id }) => id === worker.id);
  expect(shown?.withdrawn.map(({ agent }) => agent)).toEqual(['gone']);
  expect((await rig.store.runs.get(run.id))?.status).toBe('running');
  await writeFile(program, script, { mode: 0o755 });
  await rig.settled(run.id);
  const tries = await rig.store.tasks.attempts(tasks[0]?.id ?? '');
  expect(tries.at(-1)?.outcome).toBe('done');
  expect(tries.every(({ outcome, counted }) => outcome === 'done' || !counted)).toBe(true);
  expect((await rig.store.workers.list()).find(({ id }) => id === worker.id)?.withdrawn).toEqual([]);
});

it('leaves the tasks of an agent that it cannot start to a worker that can', { tags: ['long'] }, async () => {
  await using rig = await createRig();
  await using without = await tempDir();
  await using withIt = await tempDir();
  await writeFile(path.join(withIt.path, 'the-agent'), script, { mode: 0o755 });
  const { run } = await rig.submit(planOf('the-agent'));
  const envOf = (folder: string) => ({ PATH: `${folder}:${process.env['PATH'] ?? ''}` });
  await rig.worker({ operatorEnv: envOf(without.path), timing: { withdrawnMs: 60_000 } });
  await rig.worker({ operatorEnv: envOf(withIt.path) });
  await rig.settled(run.id);
});

it('pauses the run that it carries when nothing else can ever move, so that it can be resumed', async () => {
  await using rig = await createRig();
  await using folder = await tempDir();
  const program = path.join(folder.path, 'agent');
  const { run } = await rig.submit(planOf(program));
  const worker = await rig.worker({ runId: run.id });
  const why = await worker.asked;
  expect(why).toContain(program);
  await worker.drain({ deadlineMs: 10_000 });
  expect(await rig.store.runs.get(run.id)).toMatchObject({
    status: 'paused',
    statusReason: `AGENT_UNAVAILABLE: ${why}`,
  });
  expect((await rig.tasks(run.id)).get('c')?.status).toBe('CLOSED');
  await writeFile(program, script, { mode: 0o755 });
  await rig.store.runs.resume(run.id, { actor: 'operator:test', reason: 'it is installed' });
  await rig.worker({ runId: run.id });
  await rig.settled(run.id);
});

it('holds only the task that names an unknown agent, and names it', { tags: ['long'] }, async () => {
  await using rig = await createRig();
  const plan = planOf('true');
  plan.stages[0]?.steps.splice(0, 2, { key: 'a', title: 'a', agent: 'absent' });
  const { run, tasks } = await rig.submit(plan);
  await rig.worker();
  await until(async () => (await rig.tasks(run.id)).get('c')?.status === 'CLOSED' || undefined, {
    what: 'the other agent has landed its work',
    timeoutMs: 30_000,
  });
  const said = await until(
    async () => {
      const told = await rig.store.tasks.explain(tasks[0]?.id ?? '');
      return told.cause === 'agent_unavailable' ? told : undefined;
    },
    { what: 'explain names the agent', timeoutMs: 20_000 },
  );
  expect(said.text).toContain('There is no agent "absent"');
  expect((await rig.store.runs.get(run.id))?.status).toBe('running');
});
