import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { createPluginBus, definePlugin, type PluginBus } from '@baton/plugins';
import { manualClock, until } from '@baton/testkit';
import { expect, it } from 'vitest';
import type { Worker } from '../../src/worker.ts';
import { createRig, type Rig } from '../helpers/rig.ts';

/** A task for each name, whose agent writes this text into a file of that name. */
const writing = (
  works: Readonly<Record<string, string>>,
  {
    then = 'true',
    step = () => ({}),
    ...more
  }: { then?: string; step?: (key: string) => object; [key: string]: unknown } = {},
) => ({
  name: 'train',
  max_agents: 8,
  ...more,
  stages: [
    {
      name: 'all',
      steps: Object.entries(works).map(([key, text]) => ({
        ...{ key, title: key, scope: 'small', signals: [], max_retries: 0 },
        agent: { command: ['sh', '-c', `printf '%s\\n' '${text}' > ${key.split('_')[0]}.txt; ${then}`] },
        ...step(key),
      })),
    },
  ],
});

/** A gate that is red where a file says so, and writes down that it was asked. */
const counting = (rig: Rig) => ({
  gates: [
    {
      name: 'tests',
      command: ['sh', '-c', `echo asked >> '${path.join(rig.stateDir, 'asked')}'; ! grep -q red *.txt`],
    },
  ],
});

const asked = async (rig: Rig): Promise<number> =>
  (await readFile(path.join(rig.stateDir, 'asked'), 'utf8')).split('\n').length - 1;

/** A worker that lands nothing before all agents are done. */
async function landsLater(
  rig: Rig,
  {
    runId,
    done,
    plugins,
    isHeld = false,
  }: { runId: string; done: number; plugins?: PluginBus; isHeld?: boolean },
  store = rig.store,
): Promise<Worker> {
  const gate = { open: false };
  const worker = await rig.worker({
    ...(plugins === undefined ? {} : { plugins }),
    capacity: 8,
    isolation: 'copy',
    store: {
      ...store,
      lanes: {
        ...store.lanes,
        takeForLanding: async (...given) => (gate.open ? store.lanes.takeForLanding(...given) : null),
      },
    },
  });
  await until(
    async () =>
      [...(await rig.tasks(runId)).values()].filter(({ status }) => status === 'DONE').length === done
        ? true
        : undefined,
    { what: `${done} tasks are done`, timeoutMs: 60_000 },
  );
  gate.open = !isHeld;
  return worker;
}

const statuses = async (rig: Rig, runId: string) =>
  Object.fromEntries([...(await rig.tasks(runId)).values()].map(({ key, status }) => [key, status]));

const green = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, `green ${at}`]));

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
  expect(await asked(rig), 'base, 8, two of 4, two of 2, two alone, the target').toBeLessThanOrEqual(9);
});

it('leaves out what conflicts with what was done before it, and blames it only on the new head', async () => {
  await using rig = await createRig({ 'shared.txt': 'base\n' });
  const { run } = await rig.submit(
    writing({ shared_one: 'one', shared_two: 'two', ...green(2) }, counting(rig)),
  );
  await landsLater(rig, { runId: run.id, done: 4 });
  await rig.settled(run.id, ['done', 'failed']);
  const tasks = [...(await rig.tasks(run.id)).values()];
  const outcomes = await Promise.all(
    tasks.map(async ({ id }) => (await rig.store.tasks.attempts(id)).map(({ outcome }) => outcome).join(' ')),
  );
  expect(outcomes.sort()).toEqual(['conflict done', 'done', 'done', 'done']);
});

it('lands all of a train or nothing of it, also where its holder lost the database in between', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { run } = await rig.submit(writing(green(4), counting(rig)));
  let confirmed = 0;
  const away = () =>
    new BatonError('DATABASE_UNREACHABLE', 'Postgres does not answer.', { fix: 'Start it.' });
  const store: Rig['store'] = {
    ...rig.store,
    lanes: {
      ...rig.store.lanes,
      async confirm(...given) {
        confirmed += 1;
        if (confirmed === 3) throw away();
        return rig.store.lanes.confirm(...given);
      },
    },
  };
  await landsLater(rig, { runId: run.id, done: 4 }, store);
  await rig.settled(run.id);
  expect(confirmed).toBe(5);
  const onTarget = (await rig.repo.git('log', '--format=%H', `main..${run.target}`)).split('\n');
  const landings = await rig.store.tasks.landings({ runId: run.id });
  expect(landings.map(({ commit }) => commit).sort()).toEqual(onTarget.sort());
  expect(await asked(rig)).toBe(2);
});

it('judges each task alone where the target is red itself, and blames none for that', async () => {
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
});

it('judges one by one where a gate is about every commit', async () => {
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

it('leaves out what is refused or held by itself, so that the others need no second look', async () => {
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
});

it('asks the commands of all tasks about the whole', async () => {
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

it('lets a plugin refuse one task of a train, and lands the others', async () => {
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
  expect(await asked(rig), 'the base, all, the others, the one alone').toBe(4);
});

it('takes back a checkout that a dead worker had brought half-way to the end of a train, and lands the train', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { store, repo } = rig;
  const { run } = await rig.submit({ ...writing(green(2), counting(rig)), target: 'main' });
  const host = hostname();
  const dead = { pid: 1, pidStarted: 'another boot' };
  await (await landsLater(rig, { runId: run.id, done: 2, isHeld: true })).stop();
  const named = { id: 'dead', name: 'dead', host, bootId: 'x', version: '0.0.0', runId: null };
  await store.workers.register({ ...named, ...dead, capacity: 1, labels: [] });
  const place = { repoId: run.repoId, target: 'main', workerId: 'dead', leaseMs: 3_000 };
  const lane = (await store.lanes.acquire(place)) ?? expect.fail('the lane is held');
  const base = await repo.git('rev-parse', 'main');
  await repo.git('checkout', '--quiet', '--detach');
  const commits = [];
  for (const name of ['t0.txt', 't1.txt'])
    commits.push(await repo.commit({ [name]: `green ${name[1]}\n` }, name));
  await repo.git('checkout', '--quiet', 'main');
  const tree = await repo.git('rev-parse', `${commits[1]}^{tree}`);
  const verdict = { tree, passed: true, checks: 'gates' as const, results: [], reasons: [], durationMs: 1 };
  const members: Parameters<typeof store.lanes.writeIntents>[0]['members'][number][] = [];
  for (const candidateCommit of commits) {
    const besides = members.map(({ holding }) => holding.attemptId);
    const work = (await store.lanes.takeForLanding(lane, { besides })) ?? expect.fail('nothing to land');
    const holding = { attemptId: work.attempt.id, fence: work.attempt.fence };
    const verdictId = await store.lanes.saveVerdict({ holding, checksHash: 'h', verdict });
    members.push({ holding, verdictId, candidateCommit });
  }
  const holder = { workerId: 'dead', host, ...dead, lockFiles: [] };
  expect(await store.lanes.writeIntents({ lane, members, fromCommit: base, tree, holder })).toHaveLength(2);
  // Its git had laid the second file, and died.
  await repo.write({ 't1.txt': 'green 1\n' });
  await rig.worker({ isolation: 'copy' });
  await rig.settled(run.id);
  expect(await repo.git('status', '--porcelain')).toBe('');
  expect(await repo.git('ls-files')).toContain('t1.txt');
  expect(await store.tasks.landings({ runId: run.id })).toHaveLength(2);
});

it('rejects nothing that may be on the target already: what could not be confirmed is settled by the next look', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { run } = await rig.submit({ ...writing(green(3), counting(rig)), target: 'main' });
  let confirmed = 0;
  const store: Rig['store'] = {
    ...rig.store,
    lanes: {
      ...rig.store.lanes,
      async confirm(...given) {
        confirmed += 1;
        if (confirmed === 2)
          throw new BatonError('GIT_FAILED', 'the refs could not be read', { fix: 'Wait.' });
        return rig.store.lanes.confirm(...given);
      },
    },
  };
  await landsLater(rig, { runId: run.id, done: 3 }, store);
  await rig.settled(run.id);
  expect(await statuses(rig, run.id)).toEqual({ t0: 'CLOSED', t1: 'CLOSED', t2: 'CLOSED' });
  expect(await rig.repo.git('log', '--format=%s', 'main')).toMatch(/^t\d\nt\d\nt\d\nfirst commit$/);
  expect(await rig.store.tasks.landings({ runId: run.id })).toHaveLength(3);
  expect(await asked(rig)).toBe(2);
});

it('asks no gate a second time while a checkout is in the way, keeps one verdict for each, and lands when it is not', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { run } = await rig.submit({ ...writing(green(3), counting(rig)), target: 'main' });
  let tries = 0;
  const store: Rig['store'] = {
    ...rig.store,
    lanes: {
      ...rig.store.lanes,
      async writeIntents(given) {
        tries += 1;
        return rig.store.lanes.writeIntents(given);
      },
    },
  };
  await rig.repo.git('checkout', '--quiet', '-b', 'elsewhere');
  await (await landsLater(rig, { runId: run.id, done: 3, isHeld: true }, store)).stop();
  await rig.repo.git('checkout', '--quiet', 'main');
  await rig.repo.write({ 'readme.txt': 'changed by a person\n' });
  await rig.worker({ isolation: 'copy', store });
  await until(() => tries > 3 || undefined, { what: 'it was tried several times', timeoutMs: 30_000 });
  await rig.repo.git('checkout', '--', 'readme.txt');
  await rig.settled(run.id);
  expect(await asked(rig)).toBe(2);
  for (const { id } of (await rig.tasks(run.id)).values())
    expect(await rig.store.tasks.verdicts(id)).toHaveLength(1);
});

it('leaves no ref of a landing behind when one of a train is cancelled before its intents', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { run } = await rig.submit(writing(green(4), counting(rig)));
  let cancelled = '';
  const store: Rig['store'] = {
    ...rig.store,
    lanes: {
      ...rig.store.lanes,
      async writeIntents(given) {
        if (cancelled === '') {
          const [task] = [...(await rig.tasks(run.id)).values()];
          cancelled = task?.key ?? '';
          await rig.store.tasks.cancel(task?.id ?? '', { actor: 'operator:me', reason: 'no' });
        }
        return rig.store.lanes.writeIntents(given);
      },
    },
  };
  await landsLater(rig, { runId: run.id, done: 4 }, store);
  await rig.settled(run.id, ['done', 'failed', 'cancelled']);
  expect((await rig.tasks(run.id)).get(cancelled)?.status).toBe('FAILED');
  expect(await rig.repo.git('ls-tree', '--name-only', run.target)).not.toContain(cancelled);
  await until(async () => (await rig.repo.git('for-each-ref', 'refs/baton/landing')) === '' || undefined, {
    what: 'the refs of landings are gone',
    timeoutMs: 20_000,
  });
});
