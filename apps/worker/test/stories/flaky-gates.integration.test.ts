import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createRig, type Rig } from '../helpers/rig.ts';

/**
 * A gate that is red the first `reds` times that it is asked about the work of a task, which says that number in `n.txt`; with `odd` each
 * second time. It writes down each time that it was asked.
 */
const chancy = (rig: Rig) => ({
  name: 'tests',
  command: [
    'sh',
    '-c',
    `test -e n.txt || exit 0; read -r key reds <n.txt; f='${rig.stateDir}'/asked-$key; echo x >>"$f"
n=$(grep -c x "$f"); if test "$reds" = odd; then exit $((n % 2)); fi; test "$n" -gt "$reds"`,
  ],
});

/** Tasks that land one after another, each with how often the gate is red on it. */
const chain = (rig: Rig, works: Readonly<Record<string, number | 'odd'>>, more: object = {}) => ({
  name: 'chancy',
  ...more,
  gates: [chancy(rig)],
  stages: [
    {
      name: 's',
      steps: Object.entries(works).map(([key, reds], at, all) => ({
        ...{ key, title: key, max_retries: 0, depends_on: all.slice(0, at).map(([name]) => name) },
        agent: { command: ['sh', '-c', `echo ${key} ${reds} >n.txt`] },
      })),
    },
  ],
});

const asked = async (rig: Rig, key: string): Promise<number> =>
  (await readFile(path.join(rig.stateDir, `asked-${key}`), 'utf8')).split('\n').length - 1;

const ended = async (rig: Rig, runId: string, key: string) => {
  const task = (await rig.tasks(runId)).get(key);
  const attempts = await rig.store.tasks.attempts(task?.id ?? '');
  return { status: task?.status, tries: task?.tries, why: attempts.at(-1)?.rejections.join(' ') ?? '' };
};

test('work is not blamed for a red that the same gate takes back on the same tree; it lands by a green of its own', async () => {
  await using rig = await createRig();
  await rig.worker();
  const { run, tasks } = await rig.submit(chain(rig, { once: 1 }));
  await rig.settled(run.id);
  expect(await ended(rig, run.id, 'once')).toMatchObject({ status: 'CLOSED', tries: 0 });
  // Red, the green that confirms nothing, and the green that it lands by.
  expect(await asked(rig, 'once')).toBe(3);
  const verdicts = await rig.store.tasks.verdicts(tasks[0]?.id ?? '');
  expect(verdicts.map(({ passed }) => passed)).toEqual([true]);
  const [gate] = verdicts[0]?.results.filter(({ kind }) => kind === 'gate') ?? [];
  expect(gate).toMatchObject({ passed: true, reds: 1 });
  expect(gate?.reason).toContain('it was red once before on the same tree');
  const [record] = await rig.store.trust.gates({ repoId: run.repoId });
  expect(record).toMatchObject({ name: 'tests', judged: 1, refused: 0, flaked: 1 });
});

test(
  'a red that is confirmed refuses work, and so does a gate that takes each green back',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    await rig.worker();
    const { run } = await rig.submit(chain(rig, { twice: 2 }));
    await rig.settled(run.id, ['failed']);
    const twice = await ended(rig, run.id, 'twice');
    expect(twice).toMatchObject({ status: 'FAILED', tries: 1 });
    expect(twice.why).toContain('red 2 times on the same tree');
    expect(await asked(rig, 'twice')).toBe(2);

    const { run: second } = await rig.submit(chain(rig, { odd: 'odd' }));
    await rig.settled(second.id, ['failed']);
    expect((await ended(rig, second.id, 'odd')).why).toContain('red 3 times on the same tree');
    expect(await asked(rig, 'odd')).toBe(5);
  },
);

test(
  'a gate that was red by chance more often than allowed is confirmed more often, before somebody is blamed',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    await rig.worker();
    const { run } = await rig.submit(chain(rig, { a: 1, b: 1, steady: 0, last: 2 }));
    await rig.settled(run.id);
    expect(await ended(rig, run.id, 'last')).toMatchObject({ status: 'CLOSED', tries: 0 });
    expect(await asked(rig, 'last')).toBe(4);
    const [record] = await rig.store.trust.gates({ repoId: run.repoId });
    expect(record).toMatchObject({ judged: 4, refused: 0, flaked: 3 });

    const { run: refused, tasks } = await rig.submit(chain(rig, { often: 9 }));
    await rig.settled(refused.id, ['failed']);
    expect((await rig.store.tasks.explain(tasks[0]?.id ?? '')).text).toContain(
      'The gate tests is flaky: it refused 3 of the last 5 trees',
    );

    // Where more of that is allowed, its reds are confirmed once, as those of any gate.
    const { run: strict } = await rig.submit(chain(rig, { strictly: 2 }, { flaky_above: 20 }));
    await rig.settled(strict.id, ['failed']);
    expect(await asked(rig, 'strictly')).toBe(2);
  },
);
