import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { draft, nowhere, twoSteps } from './plans.ts';
import { createBench, feedEnd, type Bench } from './support.ts';

const plugins = [{ name: 'file-log', options: { file: 'all.jsonl' } }];

async function seen(bench: Bench): Promise<number[]> {
  const file = path.join(bench.folder, 'server/plugins/file-log/all.jsonl');
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { position: number }).position);
}

test('an observer sees every event in order, also those of a time when the server was away', async () => {
  await using bench = await createBench();
  const stateDir = path.join(bench.folder, 'server');
  const first = await bench.serve({ plugins, stateDir });
  const operator = await bench.client(first, 'operator');
  const { run } = await operator.plans.submit.mutate({ plan: twoSteps(), repo: nowhere });
  const add = (prefix: string) =>
    bench.store.tasks.add(run.id, {
      actor: 'test',
      reason: 'test',
      planned: false,
      drafts: Array.from({ length: 25 }, (_, index) => draft(`${prefix}-${index}`)),
    });
  await add('before');
  await until(async () => (await seen(bench)).length > 25, {
    what: 'the observer has seen the first events',
  });
  await first.close();
  await add('while-away');
  const second = await bench.serve({ plugins, stateDir });
  await add('after');
  const end = await feedEnd(bench.store);
  await until(async () => (await seen(bench)).at(-1) === end, {
    what: 'the observer has seen the last event',
  });
  await second.close();
  const positions = await seen(bench);
  expect([...new Set(positions)]).toEqual(Array.from({ length: end }, (_, index) => index + 1));
  expect(positions).toHaveLength(end);
});

test('a plugin that does not exist, or has wrong options, stops the server at once', async () => {
  await using bench = await createBench();
  await expect(bench.serve({ plugins: [{ name: 'no-such-plugin' }] })).rejects.toMatchObject({
    code: 'PLUGIN_INVALID',
  });
  const wrong = [{ name: 'task-guard', options: { forbidd: ['x'] } }];
  await expect(bench.serve({ plugins: wrong })).rejects.toMatchObject({
    code: 'PLUGIN_INVALID',
    message: expect.stringContaining('forbidd') as string,
  });
});
