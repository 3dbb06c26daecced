import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { inParts, tempDir } from '@baton/testkit';
import { expect, it, test } from 'vitest';
import { createRig, type Rig } from '../helpers/rig.ts';
import { landsLater, statuses, withLanes } from '../helpers/trains.ts';

const as = 'git -c user.name=Ada -c user.email=ada@example.com';
const commits = (
  key: string,
): string => `echo one >${key}.txt; git add ${key}.txt; ${as} commit -qm 'feat: ${key} one'
echo two >>${key}.txt; ${as} commit -qam 'feat: ${key} two'`;

/** Tasks whose agents commit twice, and then what they are told to do. */
const plan = (history: string, works: Readonly<Record<string, string>>, more: object = {}) => ({
  ...{ name: 'history', history, max_agents: 8, ...more },
  stages: [
    {
      name: 'all',
      steps: Object.entries(works).map(([key, then]) => ({
        ...{ key, title: `Task ${key}`, scope: 'small', max_retries: 0 },
        agent: { command: ['sh', '-c', `set -e; ${commits(key)}\n${then}`] },
      })),
    },
  ],
});

/** The first-parent line of what landed: subject, author and task of each commit, oldest first. */
const line = async (rig: Rig, target: string) =>
  (
    await rig.repo.git(
      'log',
      '--reverse',
      '--first-parent',
      '--format=%s|%an|%P|%(trailers:key=Task-Id,valueonly,separator=%x2C)',
      `main..${target}`,
    )
  )
    .split('\n')
    .map((entry) => entry.split('|'));

/** Each task is on its target once, by the commit that its landing names, and that has the tree that its verdict is about. */
async function landedOnce(rig: Rig, run: { id: string; target: string }): Promise<void> {
  const ids = (await line(rig, run.target)).map(([, , , id]) => id).filter((id) => id !== '');
  const tasks = [...(await rig.tasks(run.id)).values()];
  expect(ids.sort()).toEqual(tasks.map(({ id }) => id).sort());
  const landings = await rig.store.tasks.landings({ runId: run.id });
  expect(landings).toHaveLength(tasks.length);
  const last = landings.at(-1);
  expect(await rig.repo.git('rev-parse', run.target)).toBe(last?.commit);
  expect(await rig.repo.git('rev-parse', `${run.target}^{tree}`)).toBe(last?.tree);
}

it('lands the commits of an agent one by one, with their authors; what it left uncommitted is the last', async () => {
  await using rig = await createRig();
  await rig.worker();
  const { run, tasks } = await rig.submit(plan('linear', { a: 'echo left >left.txt' }));
  await rig.settled(run.id);
  const landed = await line(rig, run.target);
  expect(landed.map(([subject, author]) => `${author}: ${subject}`)).toEqual([
    'Ada: feat: a one',
    'Ada: feat: a two',
    expect.stringMatching(/: Task a$/),
  ]);
  expect(landed.map(([, , , id]) => id)).toEqual(['', '', tasks[0]?.id]);
  await landedOnce(rig, run);
});

it('lands the commits of an agent as they are, below a merge that its task has', async () => {
  await using rig = await createRig();
  await rig.worker();
  const { run, tasks } = await rig.submit(plan('merge', { a: '' }));
  await rig.settled(run.id);
  const [attempt] = await rig.store.tasks.attempts(tasks[0]?.id ?? '');
  const [merge, ...others] = await line(rig, run.target);
  expect(merge?.[0]).toBe('Task a');
  expect(others).toEqual([]);
  expect(merge?.[2]).toBe(`${await rig.repo.git('rev-parse', 'main')} ${attempt?.headCommit}`);
  expect(await rig.repo.git('log', '--format=%s', `main..${attempt?.headCommit}`)).toBe(
    'feat: a two\nfeat: a one',
  );
  await landedOnce(rig, run);
});

for (const [cases, tagged] of inParts(1, ['linear', 'merge']))
  test.each(cases)(
    'a secret that an agent took back is not published by history: %s; the task lands as one commit that says why',
    tagged,
    async (history) => {
      await using rig = await createRig();
      await rig.worker();
      const key = ['AKIA', 'QW7ERTY2UIOP5ASD'].join('');
      const leak = `echo ${key} >s.txt; git add s.txt; ${as} commit -qm leak; git rm -q s.txt; ${as} commit -qm back`;
      const { run, tasks } = await rig.submit(plan(history, { a: leak }));
      await rig.settled(run.id);
      expect(await line(rig, run.target)).toHaveLength(1);
      expect(await rig.repo.git('log', '--all', '--format=%s', `-S${key}`)).toBe('');
      const [verdict] = await rig.store.tasks.verdicts(tasks[0]?.id ?? '');
      expect(verdict?.results.find(({ name }) => name === 'history')?.reason).toMatch(
        /^lands as one commit: commit \w+ adds what looks like a key: s\.txt/,
      );
      await landedOnce(rig, run);
    },
  );

it('keeps no commits in between where a gate passes on every commit', async () => {
  await using rig = await createRig();
  await rig.worker();
  const gates = [{ name: 'each', command: ['true'], every_commit: true }];
  const { run, tasks } = await rig.submit(plan('linear', { a: '' }, { gates }));
  await rig.settled(run.id);
  expect(await line(rig, run.target)).toHaveLength(1);
  const [verdict] = await rig.store.tasks.verdicts(tasks[0]?.id ?? '');
  expect(verdict?.results.find(({ name }) => name === 'history')?.reason).toContain(
    'gate each passes on every',
  );
});

for (const [cases, tagged] of inParts(1, [
  ['linear', 2],
  ['merge', 1],
] as [string, number][]))
  test.each(cases)(
    'what a gate that may write adds is in the commit that lands, on those of the agent (history: %s)',
    tagged,
    async (history, count) => {
      await using rig = await createRig();
      await rig.worker();
      const mends = 'test ! -e a.txt || grep -q mended a.txt || echo mended >>a.txt';
      const gates = [{ name: 'fmt', command: ['sh', '-c', mends], may_write: true }];
      const { run, tasks } = await rig.submit(plan(history, { a: '' }, { gates }));
      await rig.settled(run.id);
      expect(await rig.repo.git('show', `${run.target}:a.txt`)).toBe('one\ntwo\nmended');
      expect(await line(rig, run.target)).toHaveLength(count);
      const [attempt] = await rig.store.tasks.attempts(tasks[0]?.id ?? '');
      const before = history === 'linear' ? `${run.target}~1` : `${run.target}^2`;
      expect(await rig.repo.git('show', `${before}:a.txt`)).not.toContain('mended');
      if (history === 'merge') expect(await rig.repo.git('rev-parse', before)).toBe(attempt?.headCommit);
      await landedOnce(rig, run);
    },
  );

for (const [cases, tagged] of inParts(1, ['linear', 'merge']))
  test.each(cases)('lands on a remote repository by a push (history: %s)', tagged, async (history) => {
    await using rig = await createRig();
    await using folder = await tempDir();
    const bare = path.join(folder.path, 'remote.git');
    await rig.repo.git('clone', '--quiet', '--bare', '.', bare);
    await rig.worker();
    const works = { a: '', b: '' };
    const { run } = await rig.submit(plan(history, works), { remote: `file://${bare}` });
    await rig.settled(run.id);
    await rig.repo.git('fetch', '--quiet', bare, `${run.target}:${run.target}`);
    await landedOnce(rig, run);
    expect(await line(rig, run.target)).toHaveLength(history === 'linear' ? 4 : 2);
    expect(await rig.repo.git('ls-remote', bare, 'refs/baton/attempts/*')).toBe('');
  });

for (const [cases, tagged] of inParts(1, ['squash', 'linear', 'merge']))
  it.each(cases)(
    'lands a train once and whole where its holder is lost before or after the refs move (history: %s)',
    tagged,
    async (history) => {
      for (const lost of ['writeIntents', 'confirm'] as const) {
        await using rig = await createRig();
        const keys = ['a', 'b', 'c'];
        const { run } = await rig.submit(plan(history, Object.fromEntries(keys.map((key) => [key, '']))));
        let calls = 0;
        const away = () =>
          new BatonError('DATABASE_UNREACHABLE', 'Postgres does not answer.', { fix: 'Start it.' });
        const { writeIntents, confirm } = rig.store.lanes;
        const store = withLanes(rig.store, {
          async writeIntents(given) {
            const written = await writeIntents(given);
            if (lost === 'writeIntents' && ++calls === 1) throw away();
            return written;
          },
          async confirm(...given) {
            if (lost === 'confirm' && ++calls === 2) throw away();
            return confirm(...given);
          },
        });
        await landsLater(rig, { runId: run.id, done: keys.length }, store);
        await rig.settled(run.id);
        expect(calls).toBeGreaterThan(0);
        expect(await statuses(rig, run.id)).toEqual({ a: 'CLOSED', b: 'CLOSED', c: 'CLOSED' });
        await landedOnce(rig, run);
        expect(await line(rig, run.target)).toHaveLength(history === 'linear' ? 6 : 3);
        const all = await rig.repo.git('rev-list', '--count', `main..${run.target}`);
        expect(Number(all)).toBe({ squash: 3, linear: 6, merge: 9 }[history]);
      }
    },
  );
