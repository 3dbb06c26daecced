import { hostname } from 'node:os';
import { BatonError } from '@baton/contracts';
import { ownSpace } from '@baton/spawner';
import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig } from '../helpers/rig.ts';
import { asked, counting, green, landsLater, statuses, withLanes, writing } from '../helpers/trains.ts';

it('lands all of a train or nothing of it, also where its holder lost the database in between', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { run } = await rig.submit(writing(green(4), counting(rig)));
  let confirmed = 0;
  const away = () =>
    new BatonError('DATABASE_UNREACHABLE', 'Postgres does not answer.', { fix: 'Start it.' });
  const store = withLanes(rig.store, {
    async confirm(...given) {
      confirmed += 1;
      if (confirmed === 3) throw away();
      return rig.store.lanes.confirm(...given);
    },
  });
  await landsLater(rig, { runId: run.id, done: 4 }, store);
  await rig.settled(run.id);
  expect(confirmed).toBe(5);
  const onTarget = (await rig.repo.git('log', '--format=%H', `main..${run.target}`)).split('\n');
  const landings = await rig.store.tasks.landings({ runId: run.id });
  expect(landings.map(({ commit }) => commit).sort()).toEqual(onTarget.sort());
  expect(await asked(rig)).toBe(2);
});

it('takes back a checkout that a dead worker had brought half-way to the end of a train, and lands the train', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { store, repo } = rig;
  const { run } = await rig.submit({ ...writing(green(2), counting(rig)), target: 'main' });
  const host = hostname();
  const dead = { pid: 1, pidStarted: 'another boot' };
  await (await landsLater(rig, { runId: run.id, done: 2, isHeld: true })).stop();
  const named = { id: 'dead', name: 'dead', host, bootId: ownSpace(), version: '0.0.0', runId: null };
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
  const store = withLanes(rig.store, {
    async confirm(...given) {
      confirmed += 1;
      if (confirmed === 2) throw new BatonError('GIT_FAILED', 'the refs could not be read', { fix: 'Wait.' });
      return rig.store.lanes.confirm(...given);
    },
  });
  await landsLater(rig, { runId: run.id, done: 3 }, store);
  await rig.settled(run.id);
  expect(await statuses(rig, run.id)).toEqual({ t0: 'CLOSED', t1: 'CLOSED', t2: 'CLOSED' });
  expect(await rig.repo.git('log', '--format=%s', 'main')).toMatch(/^t\d\nt\d\nt\d\nfirst commit$/);
  expect(await rig.store.tasks.landings({ runId: run.id })).toHaveLength(3);
  expect(await asked(rig)).toBe(2);
});

it(
  'asks no gate a second time while a checkout is in the way, keeps one verdict for each, and lands when it is not',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig({ 'readme.txt': 'hello\n' });
    const { run } = await rig.submit({ ...writing(green(3), counting(rig)), target: 'main' });
    let tries = 0;
    const store = withLanes(rig.store, {
      async writeIntents(given) {
        tries += 1;
        return rig.store.lanes.writeIntents(given);
      },
    });
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
  },
);

it(
  'leaves no ref of a landing behind when one of a train is cancelled before its intents',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig({ 'readme.txt': 'hello\n' });
    const { run } = await rig.submit(writing(green(4), counting(rig)));
    let cancelled = '';
    const store = withLanes(rig.store, {
      async writeIntents(given) {
        if (cancelled === '') {
          const [task] = [...(await rig.tasks(run.id)).values()];
          cancelled = task?.key ?? '';
          await rig.store.tasks.cancel(task?.id ?? '', { actor: 'operator:me', reason: 'no' });
        }
        return rig.store.lanes.writeIntents(given);
      },
    });
    await landsLater(rig, { runId: run.id, done: 4 }, store);
    await rig.settled(run.id, ['done', 'failed', 'cancelled']);
    expect((await rig.tasks(run.id)).get(cancelled)?.status).toBe('FAILED');
    expect(await rig.repo.git('ls-tree', '--name-only', run.target)).not.toContain(cancelled);
    await until(async () => (await rig.repo.git('for-each-ref', 'refs/baton/landing')) === '' || undefined, {
      what: 'the refs of landings are gone',
      timeoutMs: 20_000,
    });
  },
);
