import path from 'node:path';
import { createPluginBus, definePlugin } from '@baton/plugins';
import { manualClock, until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/rig.ts';
import { asked, counting, green, landsLater, redLast, statuses, writing } from '../helpers/trains.ts';

it('judges what waits together as one tree and lands it in the order in which it was done, a commit for each task', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { run } = await rig.submit(writing(green(6), counting(rig)));
  await landsLater(rig, { runId: run.id, done: 6 });
  await rig.settled(run.id);
  const landings = await rig.store.tasks.landings({ runId: run.id });
  const onTarget = (await rig.repo.git('log', '--reverse', '--format=%H', `main..${run.target}`)).split('\n');
  expect(landings.map(({ commit }) => commit)).toEqual(onTarget);
  expect(onTarget).toHaveLength(6);
  expect(await asked(rig), 'once about the base, once about all').toBe(2);
  const tree = await rig.repo.git('rev-parse', `${run.target}^{tree}`);
  for (const { id } of (await rig.tasks(run.id)).values()) {
    const [verdict] = await rig.store.tasks.verdicts(id);
    expect(verdict).toMatchObject({ tree, passed: true, checks: 'gates' });
    const names = verdict?.results.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['diff', 'secrets', 'tests', 'tamper', 'train', 'trust']));
    expect(new Set(names).size).toBe(names?.length);
    expect(verdict?.results.find(({ name }) => name === 'train')?.reason).toMatch(
      /^judged as one with t\d, /,
    );
  }
  const text = await rig.repo.git('log', '-1', '--format=%B', run.target);
  expect(text).toContain('Gates passed: tests.');
});

it('refuses the one that is red and none of those that waited with it', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const works = { ...green(7), culprit: 'red' };
  const { run } = await rig.submit(writing(works, counting(rig)));
  await landsLater(rig, { runId: run.id, done: 8 });
  await rig.settled(run.id, ['failed']);
  expect(await statuses(rig, run.id)).toEqual({
    ...Object.fromEntries(Object.keys(green(7)).map((key) => [key, 'CLOSED'])),
    culprit: 'FAILED',
  });
  const culprit = (await rig.tasks(run.id)).get('culprit');
  const [attempt] = await rig.store.tasks.attempts(culprit?.id ?? '');
  expect(attempt?.rejections.join(' ')).toContain('gate tests');
  expect(await rig.repo.git('ls-tree', '--name-only', run.target)).not.toContain('culprit');
  // The culprit is asked once more where it came first: no neighbour was left over whose green would have confirmed its red.
  const most = 'base, 8, two of 4, two of 2, two alone, the culprit again, the target';
  expect(await asked(rig), most).toBeLessThanOrEqual(10);
});

it('refuses what is left over as the red one of a train by its second red, and asks the target before', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { works, step } = redLast;
  const { run } = await rig.submit(writing(works, { ...counting(rig), step }));
  await landsLater(rig, { runId: run.id, done: 2 });
  await rig.settled(run.id, ['failed']);
  expect(await statuses(rig, run.id)).toEqual({ t0: 'CLOSED', culprit: 'FAILED' });
  expect(await asked(rig), 'base, both, each alone, the target').toBe(5);
});

it(
  'leaves out what conflicts with what was done before it, and blames it only on the new head',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig({ 'shared.txt': 'base\n' });
    const { run } = await rig.submit(
      writing({ shared_one: 'one', shared_two: 'two', ...green(2) }, counting(rig)),
    );
    await landsLater(rig, { runId: run.id, done: 4 });
    await rig.settled(run.id, ['done', 'failed']);
    const tasks = [...(await rig.tasks(run.id)).values()];
    const outcomes = await Promise.all(
      tasks.map(async ({ id }) =>
        (await rig.store.tasks.attempts(id)).map(({ outcome }) => outcome).join(' '),
      ),
    );
    expect(outcomes.sort()).toEqual(['conflict done', 'done', 'done', 'done']);
  },
);

it(
  'judges each task alone where the target is red itself, and blames none for that',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig({ 'readme.txt': 'hello\n' });
    const down = path.join(rig.stateDir, 'DOWN');
    const { gates } = counting(rig);
    const service = { name: 'service', command: ['sh', '-c', `test ! -e '${down}'`] };
    const { run } = await rig.submit(
      writing(green(4), { gates: [...gates, service], then: `touch '${down}'` }),
    );
    await landsLater(rig, { runId: run.id, done: 4 });
    await rig.settled(run.id, ['paused']);
    expect(Object.values(await statuses(rig, run.id))).toEqual(['DONE', 'DONE', 'DONE', 'DONE']);
  },
);

it('judges one by one where a gate is about every commit', { tags: ['long'] }, async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const [gate] = counting(rig).gates;
  const { run } = await rig.submit(writing(green(3), { gates: [{ ...gate, every_commit: true }] }));
  await landsLater(rig, { runId: run.id, done: 3 });
  await rig.settled(run.id);
  expect(await asked(rig)).toBe(4);
});

/** Waits until the tasks of a run stand like this. */
async function stand(rig: Rig, runId: string, wanted: Readonly<Record<string, string>>): Promise<void> {
  const isSo = async () => JSON.stringify(await statuses(rig, runId)) === JSON.stringify(wanted) || undefined;
  await until(isSo, { what: JSON.stringify(wanted), timeoutMs: 40_000 }).catch(async (cause: unknown) => {
    expect(await statuses(rig, runId), String(cause)).toEqual(wanted);
  });
}

it(
  'leaves out what is refused or held by itself, so that the others need no second look',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig({ 'sum.test.js': "test('sums', () => { expect(1 + 1).toBe(2); });\n" });
    const wants: Record<string, object> = {
      t0: { files: ['elsewhere'] },
      t1: { approval: true },
      t2: { agent: { command: ['rm', 'sum.test.js'] } },
      t3: { signals: [{ type: 'diff_within', paths: ['t3.txt'] }] },
    };
    const { run } = await rig.submit(
      writing(green(5), { ...counting(rig), step: (key: string) => wants[key] ?? {} }),
    );
    await landsLater(rig, { runId: run.id, done: 5 });
    const held = 'PENDING_APPROVAL';
    await stand(rig, run.id, { t0: 'FAILED', t1: held, t2: held, t3: 'CLOSED', t4: 'CLOSED' });
    expect(await asked(rig), 'the base, two together, three alone').toBe(5);
  },
);

it('asks the commands of all tasks about the whole', { tags: ['long'] }, async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const command = (name: string) => ({
    signals: [{ type: 'command_succeeds', command: ['test', '-e', name] }],
  });
  const wants: Record<string, object> = { t0: command('never.txt'), t1: command('t1.txt') };
  const { run } = await rig.submit(
    writing(green(3), { ...counting(rig), step: (key: string) => wants[key] ?? {} }),
  );
  await landsLater(rig, { runId: run.id, done: 3 });
  await stand(rig, run.id, { t0: 'FAILED', t1: 'CLOSED', t2: 'CLOSED' });
});

it('records with a task what was asked of it and of the whole, and no signal of another', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const step = (key: string) => ({
    signals: [
      { type: 'path_exists', path: `${key}.txt` },
      { type: 'command_succeeds', command: ['test', '-e', `${key}.txt`] },
    ],
  });
  const { run } = await rig.submit(writing(green(3), { ...counting(rig), step }));
  await landsLater(rig, { runId: run.id, done: 3 });
  await rig.settled(run.id);
  for (const { id, key } of (await rig.tasks(run.id)).values()) {
    const [verdict] = await rig.store.tasks.verdicts(id);
    const signals = verdict?.results.filter(({ kind }) => kind === 'signal').map(({ name }) => name);
    expect(signals).toEqual([`path_exists ${key}.txt`, `command_succeeds test -e ${key}.txt`]);
  }
  expect(await rig.repo.git('log', '-1', '--format=%B', run.target)).toContain('Signals that hold: 2.');
});

it('lets a plugin refuse one task of a train, and lands the others', { tags: ['long'] }, async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { run } = await rig.submit(writing(green(4), counting(rig)));
  const vetoed = (await rig.tasks(run.id)).get('t2')?.id;
  const guard = definePlugin({
    ...{ name: 'guard', version: '1.0.0' },
    setup(api) {
      api.intercept('landing:beforeMerge', { onError: 'deny' }, ({ taskId }) =>
        taskId === vetoed ? { deny: 'not this one' } : undefined,
      );
    },
  });
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const plugins = createPluginBus({
    ...{ plugins: [{ plugin: guard }], log, clock: manualClock(), directory: rig.stateDir },
  });
  await plugins.setup();
  await landsLater(rig, { runId: run.id, done: 4, plugins });
  await rig.settled(run.id, ['failed']);
  expect(await statuses(rig, run.id)).toEqual({ t0: 'CLOSED', t1: 'CLOSED', t2: 'FAILED', t3: 'CLOSED' });
  expect(await asked(rig), 'the base, all, the others: the one alone has the tree of all').toBe(3);
});
