import { existsSync } from 'node:fs';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { tempDir, until } from '@baton/testkit';
import type { Lane, Run } from '@baton/task-store';
import { expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/rig.ts';

const quick = { headWaitMs: 1_000 };
const writes = (name: string) => ({ command: ['bash', '-c', `cat >/dev/null; echo ${name} > ${name}.txt`] });

/** A plan with these steps, each of which writes a file of its name. */
const planOf = (names: string[]) => ({
  name: 'reach',
  batch_size: 1,
  agents: Object.fromEntries(names.map((name) => [name, writes(name)])),
  stages: [{ name: 's', steps: names.map((key) => ({ key, title: key, agent: key })) }],
});

/** A bare remote beside the rig's repository. */
async function remoteOf(rig: Rig) {
  const folder = await tempDir();
  const bare = path.join(folder.path, 'remote.git');
  await rig.repo.git('clone', '--bare', '--quiet', rig.repo.path, bare);
  return {
    url: pathToFileURL(bare).href,
    bare,
    git: (...args: string[]) => rig.repo.git('-C', bare, ...args),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Nobody lands until this is let go: a lane held by a worker that is no process. */
async function holdLane(rig: Rig, { repoId, target }: Run): Promise<Lane> {
  const lane = await rig.store.lanes.acquire({ repoId, target, workerId: 'nobody', leaseMs: 120_000 });
  if (lane === null) throw new Error('the lane is held');
  return lane;
}

/** Lets one worker finish all tasks of a run, and ends it before any landed. */
async function finishWith(rig: Rig, run: Run, options: Parameters<Rig['worker']>[0]): Promise<void> {
  const lane = await holdLane(rig, run);
  const worker = await rig.worker(options);
  await until(
    async () => [...(await rig.tasks(run.id)).values()].every(({ status }) => status === 'DONE') || undefined,
    { what: 'all tasks are DONE', timeoutMs: 30_000 },
  );
  await worker.stop();
  await rig.store.lanes.release(lane);
}

it('lands work of another state folder of this host, in the order in which it was finished', async () => {
  await using rig = await createRig();
  await using other = await tempDir();
  const { run } = await rig.submit(planOf(['a', 'b']));
  await finishWith(rig, run, { stateDir: other.path });
  await rig.worker({ timing: quick });
  await rig.settled(run.id);
  expect(await rig.repo.git('show', `${run.target}:a.txt`)).toBe('a');
  expect(await rig.repo.git('rev-list', '--count', `main..${run.target}`)).toBe('2');
  for (const task of (await rig.tasks(run.id)).values())
    expect((await rig.store.tasks.attempts(task.id)).map(({ outcome }) => outcome)).toEqual(['done']);
});

it('lands work of another host by way of the remote, and leaves none of its refs there', async () => {
  await using rig = await createRig();
  await using other = await tempDir();
  await using remote = await remoteOf(rig);
  const { run } = await rig.submit(planOf(['a', 'b']), { remote: remote.url });
  await finishWith(rig, run, { stateDir: other.path, host: 'one' });
  expect((await remote.git('for-each-ref', 'refs/baton/attempts')).split('\n')).toHaveLength(2);
  await rm(other.path, { recursive: true });
  const second = await rig.worker({ host: 'two', timing: quick });
  await rig.settled(run.id);
  await second.stop();
  expect(await remote.git('rev-list', '--count', `main..${run.target}`)).toBe('2');
  expect(await remote.git('for-each-ref', 'refs/baton/attempts')).toBe('');
});

it(
  'keeps work on its host when the remote refuses the refs, says so, and does it again when that host stays away',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    await using other = await tempDir();
    await using remote = await remoteOf(rig);
    const hook = '#!/bin/sh\ncase "$1" in refs/baton/attempts/*) echo no such refs here >&2; exit 1;; esac\n';
    await writeFile(path.join(remote.bare, 'hooks/update'), hook, { mode: 0o755 });
    const { run, tasks } = await rig.submit(planOf(['a', 'b']), { remote: remote.url });
    await finishWith(rig, run, { stateDir: other.path, host: 'one' });
    const told = await rig.store.tasks.explain(tasks[0]?.id ?? '');
    expect([told.cause, ...told.also]).toContain('head_unreadable');
    await rig.worker({ host: 'two', timing: { headWaitMs: 1_500 } });
    await rig.settled(run.id);
    const [first, second] = await rig.store.tasks.attempts(tasks[0]?.id ?? '');
    expect(first).toMatchObject({ outcome: 'head_lost', counted: false });
    expect(first?.rejections[0]).toContain('on host one');
    expect(second?.outcome).toBe('done');
    expect(await remote.git('rev-list', '--count', `main..${run.target}`)).toBe('2');
  },
);

it(
  'lands other work of the lane while a head cannot be read, and takes it when it can',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    await using other = await tempDir();
    const { run, tasks } = await rig.submit(planOf(['a']));
    await finishWith(rig, run, { stateDir: other.path });
    const hidden = `${other.path}/hidden`;
    const repos = path.join(other.path, 'repos');
    await rename(repos, hidden);
    const later = await rig.submit({ ...planOf(['later']), target: run.target });
    await rig.worker({ timing: { headWaitMs: 60_000 } });
    await rig.settled(later.run.id);
    const told = await rig.store.tasks.explain(tasks[0]?.id ?? '');
    expect(told.cause).toBe('head_unreadable');
    expect(told.text).toContain(other.path);
    await rename(hidden, repos);
    await rig.settled(run.id);
    expect(await rig.store.tasks.attempts(tasks[0]?.id ?? '')).toHaveLength(1);
  },
);

it('reads only objects of another clone: what was planted in its settings never runs', async () => {
  await using rig = await createRig();
  await using other = await tempDir();
  const { run } = await rig.submit(planOf(['a']));
  await finishWith(rig, run, { stateDir: other.path });
  const clone = path.join(other.path, 'repos', run.repoId, 'clone.git');
  const canary = path.join(other.path, 'canary');
  const hook = path.join(other.path, 'hook');
  await writeFile(hook, `#!/bin/sh\ntouch ${canary}\nexec "$@"\n`);
  await chmod(hook, 0o755);
  await rig.repo.git('-C', clone, 'config', 'uploadpack.packObjectsHook', hook);
  await rig.repo.git('-C', clone, 'config', 'core.alternateRefsCommand', hook);
  await rig.worker({ timing: quick });
  await rig.settled(run.id);
  expect(existsSync(canary)).toBe(false);
});

it('tries work again whose clone is gone for good', { tags: ['long'] }, async () => {
  await using rig = await createRig();
  await using other = await tempDir();
  const { run, tasks } = await rig.submit(planOf(['a']));
  await finishWith(rig, run, { stateDir: other.path });
  await rm(path.join(other.path, 'repos'), { recursive: true });
  await rig.worker({ timing: quick });
  await rig.settled(run.id);
  expect((await rig.store.tasks.attempts(tasks[0]?.id ?? '')).map(({ outcome }) => outcome)).toEqual([
    'head_lost',
    'done',
  ]);
});

it('continues from rejected work that another host did', { tags: ['long'] }, async () => {
  await using rig = await createRig();
  await using other = await tempDir();
  await using remote = await remoteOf(rig);
  const open = path.join(other.path, 'open');
  const shell = (script: string) => ({ command: ['bash', '-c', `cat >/dev/null; ${script}`] });
  const { run, tasks } = await rig.submit(
    {
      name: 'reach',
      batch_size: 1,
      agents: {
        add: shell('echo x >> a.txt'),
        keeper: shell(`until [ -e ${open} ]; do sleep 0.1; done; echo k > k.txt`),
      },
      gates: [{ name: 'twice', command: ['bash', '-c', '[ ! -e a.txt ] || [ "$(wc -l < a.txt)" = 2 ]'] }],
      stages: [
        {
          name: 's',
          steps: [
            { key: 'a', title: 'a', agent: 'add', max_retries: 3 },
            { key: 'k', title: 'keeps the first worker busy', agent: 'keeper' },
          ],
        },
      ],
    },
    { remote: remote.url },
  );
  await rig.worker({ stateDir: path.join(other.path, 'state'), host: 'one', capacity: 1 });
  const triesOfA = () => rig.store.tasks.attempts(tasks[0]?.id ?? '');
  await until(async () => (await triesOfA())[0]?.outcome ?? undefined, {
    what: 'the first try was rejected',
    timeoutMs: 30_000,
  });
  await rig.worker({ host: 'two', capacity: 1 });
  await until(async () => (await triesOfA())[1]?.outcome ?? undefined, {
    what: 'the second try has landed',
    timeoutMs: 30_000,
  });
  await writeFile(open, '');
  await rig.settled(run.id);
  expect((await triesOfA()).map(({ outcome }) => outcome)).toEqual(['rejected', 'done']);
  expect(await remote.git('show', `${run.target}:a.txt`)).toBe('x\nx');
});
