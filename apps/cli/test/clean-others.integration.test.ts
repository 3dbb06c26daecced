import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { planOf } from './support/plans.ts';

test('clean removes only branches and landing refs of its own store, and branches only as its runs left them', async () => {
  const agent = { command: ['sh', '-c', 'cat >/dev/null; echo x >> "$(date +%N).txt"'] };
  await using bench = await createBench({ 'plan.yaml': planOf('c', [{ key: 'a', agent }]) });
  await using elsewhere = await tempDir();
  const other = { env: { BATON_HOME: elsewhere.path } };
  const { git } = bench.repo;
  const branches = async () =>
    (await git('for-each-ref', '--format=%(refname:short)', 'refs/heads/baton')).split('\n');
  expect((await bench.baton(['run', 'plan.yaml'])).exitCode).toBe(0);
  const [ours = ''] = await branches();
  expect((await bench.baton(['run', 'plan.yaml'])).exitCode).toBe(0);
  const moved = (await branches()).find((name) => name !== ours) ?? '';
  expect((await bench.baton(['run', 'plan.yaml'], other)).exitCode).toBe(0);
  const theirs = (await branches()).find((name) => ![ours, moved].includes(name)) ?? '';
  for (const branch of [ours, moved, theirs]) await git('merge', '--quiet', '--no-edit', branch);
  await git('branch', 'baton/mine');
  await git('branch', '--force', moved, 'HEAD');
  const landing = 'refs/baton/landing/00000000-0000-7000-8000-000000000000';
  await git('update-ref', landing, 'HEAD');

  const dry = await bench.call(['clean', '--dry-run', '--json']);
  const { removed } = JSON.parse(dry.stdout) as { removed: { kind: string; place: string }[] };
  const inRepository = removed
    .map(({ place }) => place)
    .filter((place) => /^refs\/(heads|baton\/l)/.test(place));
  expect(inRepository[0]).toBe(`refs/heads/${ours}`);
  expect(inRepository.filter((place) => !place.endsWith(ours))).toEqual([]);
  expect((await bench.call(['clean'])).exitCode).toBe(0);
  expect(await branches()).toEqual(['baton/mine', moved, theirs].sort());
  expect(await git('for-each-ref', '--format=%(refname)', 'refs/baton/landing')).toBe(landing);
  expect((await bench.call(['clean'], other)).exitCode).toBe(0);
  expect(await branches()).toEqual(['baton/mine', moved].sort());
});
