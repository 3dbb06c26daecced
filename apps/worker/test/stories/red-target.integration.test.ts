import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createRig } from '../helpers/rig.ts';

const shell = (script: string) => ({ command: ['sh', '-c', script] });

test('work is not blamed for a gate that is red on its target as well: the run is held, and the same work lands later', async () => {
  await using rig = await createRig({ 'a.txt': 'a\n' });
  const down = path.join(rig.stateDir, 'SERVICE_DOWN');
  const worker = await rig.worker();
  const { run } = await rig.submit({
    name: 'outage',
    gates: [{ name: 'service', command: ['sh', '-c', `test ! -e ${down} || { echo no route; exit 7; }`] }],
    stages: [
      {
        name: 's',
        steps: [{ key: 'f', title: 'f', agent: shell(`echo b >a.txt; touch ${down}`), max_retries: 0 }],
      },
    ],
  });
  const held = await rig.settled(run.id, ['paused']);
  expect(held.statusReason).toMatch(/BASE_RED: .*the head of baton\/.*finished work of f.*gate service: .*7/);
  expect(held.statusReason).toContain('no route');
  const task = async () => (await rig.tasks(run.id)).get('f');
  expect(await task()).toMatchObject({ status: 'DONE', tries: 0 });
  await worker.stop();

  rmSync(down);
  await rig.store.runs.resume(run.id, { actor: 'operator:test', reason: 'it is up' });
  await rig.worker();
  await rig.settled(run.id);
  expect(await rig.store.tasks.attempts((await task())?.id ?? '')).toHaveLength(1);
  expect(existsSync(down)).toBe(false);
});

test(
  'a worker that runs on looks at once at work that waits for a red target when somebody resumes its run',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig({ 'a.txt': 'a\n' });
    const down = path.join(rig.stateDir, 'SERVICE_DOWN');
    await rig.worker();
    const { run } = await rig.submit({
      name: 'outage',
      gates: [{ name: 'service', command: ['sh', '-c', `test ! -e ${down}`] }],
      stages: [
        {
          name: 's',
          steps: [{ key: 'f', title: 'f', agent: shell(`echo b >a.txt; touch ${down}`), max_retries: 0 }],
        },
      ],
    });
    await rig.settled(run.id, ['paused']);
    const id = (await rig.tasks(run.id)).get('f')?.id ?? '';
    await until(async () => (await rig.store.tasks.explain(id)).cause === 'landing_failed', {
      ...{ what: 'the work is given back', timeoutMs: 20_000 },
    });
    rmSync(down);
    const resumedMs = performance.now();
    await rig.store.runs.resume(run.id, { actor: 'operator:test', reason: 'it is up' });
    await rig.settled(run.id);
    expect(performance.now() - resumedMs).toBeLessThan(40_000);
  },
);

test(
  'what a person commits to the target breaks no work of an agent, and what that breaks itself is refused',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig({ 'a.txt': 'good\n', 'b.txt': 'good\n' });
    await rig.repo.git('checkout', '--quiet', '-b', 'elsewhere');
    const started = path.join(rig.stateDir, 'STARTED');
    const go = path.join(rig.stateDir, 'GO');
    const waits = `touch ${started}; while ! test -e ${go}; do sleep 0.05; done`;
    await rig.worker({ capacity: 3 });
    const { run } = await rig.submit({
      name: 'owner',
      target: 'main',
      gates: [
        { name: 'a', command: ['grep', 'good', 'a.txt'] },
        { name: 'b', command: ['grep', 'good', 'b.txt'] },
      ],
      stages: [
        {
          name: 's',
          steps: [
            { key: 'fine', title: 'fine', agent: shell(`${waits}; echo c >c.txt`), max_retries: 0 },
            { key: 'bad', title: 'bad', agent: shell(`${waits}; echo bad >b.txt`), max_retries: 0 },
            {
              ...{ key: 'less', title: 'less', agent: shell(`${waits}; echo d >d.txt`), max_retries: 0 },
              signals: [{ type: 'path_exists', path: 'more.txt' }],
            },
          ],
        },
      ],
    });
    await until(() => existsSync(started), { what: 'an agent is at work', timeoutMs: 30_000 });
    await rig.repo.git('checkout', '--quiet', 'main');
    const broken = await rig.repo.commit({ 'a.txt': 'bad\n' }, 'broken by a person');
    await rig.repo.git('checkout', '--quiet', 'elsewhere');
    await rig.repo.write({ [path.relative(rig.repo.path, go)]: '' });
    const held = await rig.settled(run.id, ['paused']);
    expect(held.statusReason).toContain(`red on ${broken.slice(0, 9)}, the head of main`);
    const statuses = async () =>
      Object.fromEntries([...(await rig.tasks(run.id)).values()].map(({ key, status }) => [key, status]));
    // What is not red on the target is the work's own.
    await until(
      async () => {
        const { bad, less } = await statuses();
        return bad === 'FAILED' && less === 'FAILED';
      },
      { what: 'bad work is refused', timeoutMs: 30_000 },
    );
    expect((await statuses())['fine']).toBe('DONE');
  },
);
