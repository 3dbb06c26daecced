import { glob, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir, until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, scripted } from '../helpers/rig.ts';

const by = { actor: 'operator:test', reason: 'a story' };
const writer = (name: string) => scripted({ steps: [{ write: { [`${name}.txt`]: 'x\n' } }] });

const plan = (name: string) => ({
  name,
  agents: { quick: scripted({ steps: [{ write: { 'a.txt': 'a\n' } }] }) },
  agent: 'quick',
  stages: [{ name: 's', steps: [{ key: 'a', title: 'a' }] }],
});

it('holds a run whose repository is not there, uncounted, and continues when it is back', async () => {
  await using rig = await createRig();
  await using folder = await tempDir();
  const location = path.join(folder.path, 'gone');
  const { run } = await rig.submit(plan('gone'), { location });
  await rig.worker();
  const held = await rig.settled(run.id, ['paused']);
  expect(held.statusReason).toMatch(/REPO_NOT_FOUND|GIT_FAILED/);
  const given = async () => (await rig.tasks(run.id)).get('a');
  await until(async () => (await given())?.status === 'OPEN', { what: 'its task is given back' });
  expect(await given()).toMatchObject({ tries: 0 });
  await rig.repo.git('clone', '--quiet', rig.repo.path, location);
  await rig.store.runs.resume(run.id, { actor: 'operator:test', reason: 'it is back' });
  await rig.settled(run.id);
  expect((await rig.tasks(run.id)).get('a')).toMatchObject({ status: 'CLOSED', tries: 0 });
});

it('asks a remote that does not answer again later, uncounted, and says why nothing moves', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit(plan('remote'), { remote: 'http://127.0.0.1:9/none.git' });
  await rig.worker();
  const waiting = await until(
    async () => {
      const task = (await rig.tasks(run.id)).get('a');
      return task === undefined || task.notBefore === null ? undefined : task;
    },
    { what: 'its task waits', timeoutMs: 30_000 },
  );
  expect(waiting).toMatchObject({ status: 'OPEN', tries: 0 });
  expect(waiting.notBefore?.getTime() ?? 0).toBeGreaterThan(Date.now() + 20_000);
  expect((await rig.store.tasks.explain(waiting.id)).text).toMatch(/GIT_FAILED.*127\.0\.0\.1/s);
  expect((await rig.store.runs.get(run.id))?.status).toBe('running');
});

it('counts no try either when the remote goes away in the middle of a run', { tags: ['long'] }, async () => {
  await using rig = await createRig();
  await using folder = await tempDir();
  const remote = path.join(folder.path, 'remote.git');
  await rig.repo.git('clone', '--quiet', '--bare', rig.repo.path, remote);
  const { run } = await rig.submit(plan('away'), { remote: `file://${remote}` });
  await rig.worker();
  await rig.settled(run.id);
  const add = (key: string) => rig.store.tasks.add(run.id, { ...by, drafts: [{ key, agent: writer(key) }] });
  // By the second task the worker has prepared the run for good.
  await add('b');
  await until(async () => (await rig.tasks(run.id)).get('b')?.status === 'CLOSED', {
    what: 'b has landed',
    timeoutMs: 30_000,
  });
  await rename(remote, `${remote}.gone`);
  await add('c');
  const waiting = await until(
    async () => {
      const task = (await rig.tasks(run.id)).get('c');
      return task === undefined || task.notBefore === null ? undefined : task;
    },
    { what: 'its task waits', timeoutMs: 30_000 },
  );
  expect(waiting).toMatchObject({ status: 'OPEN', tries: 0 });
});

it(
  'counts no try when no worktree can be made, and holds the run after three times in a row',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    const { run } = await rig.submit(plan('unmade'));
    await rig.worker();
    await rig.settled(run.id);
    let pool = '';
    for await (const name of glob('worktrees/*/*/agent', { cwd: rig.stateDir }))
      pool = path.join(rig.stateDir, name);
    await rm(pool, { recursive: true });
    await writeFile(pool, 'in the way');
    const task = async (key: string) => (await rig.tasks(run.id)).get(key);
    const add = (key: string) =>
      rig.store.tasks.add(run.id, { ...by, drafts: [{ key, agent: writer(key) }] });
    for (const key of ['b', 'c']) {
      await add(key);
      await until(async () => (await task(key))?.notBefore instanceof Date, {
        what: `${key} waits`,
        timeoutMs: 30_000,
      });
    }
    await add('d');
    const held = await rig.settled(run.id, ['paused']);
    expect(held.statusReason).toMatch(/^WORKSPACE_FAILED: .*EEXIST.* See that the state folder is writable/s);
    await until(async () => (await task('d'))?.status === 'OPEN', { what: 'd is given back' });
    for (const key of ['b', 'c', 'd']) expect(await task(key)).toMatchObject({ status: 'OPEN', tries: 0 });
    await rm(pool);
    await rig.store.runs.resume(run.id, by);
    await until(async () => (await task('d'))?.status === 'CLOSED', {
      what: 'd has landed',
      timeoutMs: 30_000,
    });
  },
);
