import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir, until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/rig.ts';

const timing = { probeMs: 50 };

/** Writes these texts one after the other, each once the file `<gate>.<n>` is there; then it ends. */
function stepwise(gate: string, steps: readonly string[]): { command: string[] } {
  const parts = steps.map((step, at) => `while [ ! -e '${gate}.${at}' ]; do sleep 0.05; done; ${step}`);
  return { command: ['sh', '-c', `cat >/dev/null; ${parts.join('; ')}`] };
}

const writes = (file: string, text: string) => `printf '${text}\\n' > ${file}`;

/** What is expected of each task, as `key: files`. */
async function expected(rig: Rig, runId: string): Promise<Record<string, string[]>> {
  const keys = new Map([...(await rig.tasks(runId)).values()].map(({ id, key }) => [id, key]));
  const found = await rig.store.tasks.expectedConflicts({ runId });
  const texts = found.map(
    (each) =>
      [keys.get(each.taskId) ?? '?', `${each.with?.key ?? each.target}: ${each.files.join(' ')}`] as const,
  );
  const all: Record<string, string[]> = {};
  for (const [key, text] of texts) (all[key] ??= []).push(text);
  return all;
}

const see = (rig: Rig, runId: string, wanted: Record<string, string[]>) =>
  until(
    async () => {
      const found = await expected(rig, runId);
      return JSON.stringify(found) === JSON.stringify(wanted) ? found : undefined;
    },
    { what: `what is expected is ${JSON.stringify(wanted)}`, timeoutMs: 40_000 },
  ).catch(async (cause: unknown) => {
    throw new Error(`${String(cause)}: ${JSON.stringify(await expected(rig, runId))}`);
  });

const plan = (steps: unknown[], more: object = {}) => ({
  ...{ name: 'ahead', target: 'main', max_agents: 4, batch_size: 1, ...more },
  stages: [{ name: 'all', steps }],
});

it('a conflict of two agents is expected while they work, and no more once one of them has undone it', async () => {
  await using rig = await createRig({ 'shared.txt': 'one\n' });
  await rig.repo.git('checkout', '-q', '-b', 'elsewhere');
  await using gates = await tempDir();
  const gate = (name: string) => path.join(gates.path, name);
  const { run } = await rig.submit(
    plan([
      { key: 'a', title: 'a', agent: stepwise(gate('a'), [writes('shared.txt', 'a'), 'true']) },
      {
        key: 'b',
        title: 'b',
        agent: stepwise(gate('b'), [
          writes('shared.txt', 'b'),
          `git checkout -q shared.txt; touch b.txt`,
          'true',
        ]),
      },
    ]),
  );
  await rig.worker({ timing });
  await Promise.all(['a.0', 'b.0'].map((name) => writeFile(gate(name), '')));
  await see(rig, run.id, { a: ['b: shared.txt'], b: ['a: shared.txt'] });
  const task = (await rig.tasks(run.id)).get('a');
  expect((await rig.store.tasks.explain(task?.id ?? '')).expectedConflicts).toHaveLength(1);
  await writeFile(gate('b.1'), '');
  await see(rig, run.id, {});
  await Promise.all(['a.1', 'b.2'].map((name) => writeFile(gate(name), '')));
  await rig.settled(run.id);
  expect(await readdir(path.join(rig.stateDir, 'probe')).catch(() => [])).toEqual([]);
});

it(
  'work that was done before counts until it lands, and afterwards as the target',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig({ 'shared.txt': 'one\n' });
    await rig.repo.git('checkout', '-q', '-b', 'elsewhere');
    await using gates = await tempDir();
    const gate = (name: string) => path.join(gates.path, name);
    const wait = `while [ ! -e '${gate('pass')}' ]; do sleep 0.05; done`;
    const gated = ['sh', '-c', `if grep -q early shared.txt; then ${wait}; fi`];
    const { run } = await rig.submit(
      plan(
        [
          {
            key: 'late',
            title: 'late',
            agent: stepwise(gate('late'), [writes('shared.txt', 'late'), 'true']),
          },
          { key: 'early', title: 'early', agent: stepwise(gate('early'), [writes('shared.txt', 'early')]) },
        ],
        { gates: [{ name: 'slow', command: gated }] },
      ),
    );
    await rig.worker({ timing });
    await Promise.all(['late.0', 'early.0'].map((name) => writeFile(gate(name), '')));
    await see(rig, run.id, { late: ['early: shared.txt'], early: ['late: shared.txt'] });
    await writeFile(gate('pass'), '');
    await see(rig, run.id, { late: ['main: shared.txt'] });
    await writeFile(gate('late.1'), '');
    await rig.settled(run.id, ['done', 'failed']);
    expect(await rig.store.tasks.expectedConflicts({ runId: run.id })).toEqual([]);
  },
);

it(
  'agents of two workers with one state folder are compared, and those of another state folder are left out',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig({ 'shared.txt': 'one\n' });
    await rig.repo.git('checkout', '-q', '-b', 'elsewhere');
    await using gates = await tempDir();
    await using elsewhere = await tempDir();
    const gate = (name: string) => path.join(gates.path, name);
    const agent = (key: string) => stepwise(gate(key), [writes('shared.txt', key), 'true']);
    const submit = (key: string) => rig.submit(plan([{ key, title: key, agent: agent(key) }], { name: key }));
    const [a, b, c] = [await submit('a'), await submit('b'), await submit('c')];
    for (const { run } of [a, b]) await rig.worker({ timing, runId: run.id });
    await rig.worker({ timing, runId: c.run.id, stateDir: elsewhere.path });
    await Promise.all(['a.0', 'b.0', 'c.0'].map((name) => writeFile(gate(name), '')));
    await see(rig, a.run.id, { a: ['b: shared.txt'] });
    await see(rig, b.run.id, { b: ['a: shared.txt'] });
    expect(await expected(rig, c.run.id)).toEqual({});
    const [told] = await rig.store.tasks.expectedConflicts({ taskId: a.tasks[0]?.id ?? '' });
    expect(told?.with).toMatchObject({ run: b.run.slug, sameRun: false });
  },
);
