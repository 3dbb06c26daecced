import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { plan, planTasks } from '@baton/contracts';
import { createTestDatabase, tempDir } from '@baton/testkit';
import { migrate, openStore } from '@baton/task-store';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

import { createBench } from './support/bench.ts';
import { runDraftOf } from './support/run-draft.ts';

const source = { kind: 'plan', by: 'tester', trusted: true } as const;
const by = { actor: 'operator:tester', reason: 'test' };
const written = plan.parse({
  name: 'small',
  stages: [
    {
      name: 'only',
      steps: [
        { key: 'one', title: 'Write one', files: ['src/'], goal: 'one: is there' },
        { key: 'two', title: 'Write two', depends_on: ['one'], priority: 0 },
      ],
    },
  ],
});

const empty = () => createTestDatabase({ migrate: () => Promise.resolve(), templateKey: 'empty' });

/** A store with one run of the plan above. */
async function filled(url: string): Promise<void> {
  await migrate(url);
  const store = await openStore({ url });
  const { run } = await store.runs.create(runDraftOf(written, 'small-1'), by);
  await store.runs.approvePlan(run.id, by);
  await store.close();
}

it('carries a store to another database and back, byte for byte, with the plans to run again', async () => {
  await using bench = await createBench();
  await using folder = await tempDir();
  await using first = await empty();
  await using second = await empty();
  await filled(first.url);
  const call = async (url: string, ...args: string[]) => {
    const ended = await bench.call([...args, '--json'], { env: { DATABASE_URL: url } });
    return { exitCode: ended.exitCode, told: JSON.parse(ended.stdout) as Record<string, unknown> };
  };
  const [a, b] = [path.join(folder.path, 'a'), path.join(folder.path, 'b.jsonl')];
  expect(await call(first.url, 'export', a)).toMatchObject({ exitCode: 0, told: { plans: 1, files: 2 } });
  const again = plan.parse(parse(await readFile(path.join(a, 'plans/small-1.yaml'), 'utf8')));
  expect(planTasks(again, { source })).toEqual(planTasks(written, { source }));

  expect(await call(second.url, 'import', a)).toMatchObject({ exitCode: 0 });
  expect(await call(second.url, 'export', b)).toMatchObject({ exitCode: 0 });
  expect(await readFile(b, 'utf8')).toBe(await readFile(path.join(a, 'store.jsonl'), 'utf8'));
  expect(await call(second.url, 'verify-audit')).toMatchObject({ exitCode: 0, told: { broken: [] } });
  expect(await call(second.url, 'explain', 'small-1/two')).toMatchObject({ told: { cause: 'dependency' } });
  expect(await call(second.url, 'import', b)).toMatchObject({
    exitCode: 2,
    told: { error: { code: 'CONFLICT' } },
  });
  await writeFile(b, (await readFile(b, 'utf8')).replace('Write one', 'Write owe'));
  await using third = await empty();
  expect(await call(third.url, 'import', b)).toMatchObject({
    told: { error: { code: 'RECORD_FILE_INVALID' } },
  });
});

it('writes a .sdd folder and makes a plan of one', async () => {
  await using bench = await createBench();
  await using folder = await tempDir();
  await using database = await empty();
  await filled(database.url);
  const env = { DATABASE_URL: database.url };
  const sdd = path.join(folder.path, '.sdd');
  const call = (...args: string[]) => bench.call([...args, '--json'], { env, cwd: folder.path });
  expect((await call('export', '--sdd', sdd)).exitCode).toBe(0);
  expect(parse(await readFile(path.join(sdd, 'backlog/open/small-1.two.yaml'), 'utf8'))).toMatchObject({
    id: 'two',
    depends_on: ['one'],
    priority: 0,
  });
  const trace = (await readFile(path.join(sdd, 'traces/small-1.one.jsonl'), 'utf8')).trim().split('\n');
  expect(trace.map((line) => (JSON.parse(line) as { step: string }).step)).toEqual(['created', 'approve']);
  const metrics = (await readFile(path.join(sdd, 'metrics/tasks.jsonl'), 'utf8')).trim().split('\n');
  expect(metrics).toHaveLength(2);

  await mkdir(path.join(sdd, 'backlog/closed'), { recursive: true });
  await writeFile(path.join(sdd, 'backlog/closed/old.md'), '---\nid: old\ntitle: Old\n---\ndone\n');
  await writeFile(
    path.join(sdd, 'backlog/open/003-mend.md'),
    '---\nid: "003"\ntitle: Mend it\npriority: p1\ndepends_on: [old, one]\ntags: [x]\njanitor_signals:\n  - { type: path_exists, path: a }\n  - { type: vibes, value: good }\n---\nIt is broken.\n\nMend it.\n',
  );
  const made = await call('import', sdd, '--plan', 'out.yaml');
  expect(made.exitCode).toBe(0);
  const told = JSON.parse(made.stdout) as { steps: number; leftOut: string[] };
  expect(told.steps).toBe(3);
  expect(told.leftOut.map((line) => line.slice(line.indexOf(': ') + 2))).toEqual([
    '"tags" has no place in a plan',
    'a signal of type "vibes" is not one that Baton checks',
  ]);
  const tasks = planTasks(plan.parse(parse(await readFile(path.join(folder.path, 'out.yaml'), 'utf8'))), {
    source,
  });
  expect(tasks.map(({ key, goal, dependsOn, priority }) => ({ key, goal, dependsOn, priority }))).toEqual([
    { key: '003', goal: 'It is broken.\n\nMend it.', dependsOn: ['one'], priority: 1 },
    { key: 'one', goal: 'one: is there', dependsOn: [], priority: 2 },
    { key: 'two', goal: 'Write two', dependsOn: ['one'], priority: 0 },
  ]);
  expect(JSON.parse((await call('import', sdd, '--plan', 'out.yaml')).stdout)).toMatchObject({
    error: { code: 'CONFLICT' },
  });
  await writeFile(path.join(sdd, 'backlog/open/bad.yaml'), 'title: [\n');
  expect(JSON.parse((await call('import', sdd, '--plan', 'b.yaml')).stdout)).toMatchObject({
    error: { code: 'PLAN_INVALID', at: path.join(sdd, 'backlog/open/bad.yaml') },
  });
  expect(JSON.parse((await call('import', 'nope.jsonl')).stdout)).toMatchObject({
    error: { code: 'NOT_FOUND', at: 'nope.jsonl' },
  });
});
