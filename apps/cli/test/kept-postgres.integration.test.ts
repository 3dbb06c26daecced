import { existsSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { planOf, writes } from './support/plans.ts';
import { serverPid } from './support/remains.ts';

const env = { BATON_POSTGRES_KEEP_SECONDS: '600' };

test('looks one after another share one Postgres, which projects and doctor name and drop ends', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': planOf('kept', [{ key: 'a', agent: writes('a.txt', 'a\n') }]) });
  expect(await bench.baton(['run', 'plan.yaml'], { env })).toMatchObject({ exitCode: 0 });
  const pid = await serverPid(bench);
  expect(pid).toBeTypeOf('number');
  for (const look of [['status'], ['tasks'], ['explain', 'a']])
    expect(await bench.baton(look, { env })).toMatchObject({ exitCode: 0 });
  expect(await serverPid(bench)).toBe(pid);

  const listed = await bench.baton(['projects'], { env });
  expect(listed.stdout).toContain(`pid ${String(pid)}, unused`);
  expect(listed.stdout).toContain(
    'An unused Postgres ends 10m after its last use (BATON_POSTGRES_KEEP_SECONDS).',
  );
  const doctor = await bench.baton(['doctor', '--json'], { env });
  expect(doctor.stdout).toContain(
    `(pid ${String(pid)}) ends 10m after its last use (BATON_POSTGRES_KEEP_SECONDS)`,
  );

  expect(await bench.baton(['projects', 'drop', '.'], { env })).toMatchObject({ exitCode: 0 });
  expect(await bench.hasServer()).toBe(false);
  expect(existsSync(path.join(bench.home, 'projects'))).toBe(true);
});

test('a look that asks for it ends a Postgres that others had kept', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': planOf('kept', [{ key: 'a', agent: writes('a.txt', 'a\n') }]) });
  await bench.baton(['run', 'plan.yaml'], { env });
  expect(await bench.hasServer()).toBe(true);
  await bench.baton(['status'], { env: { BATON_POSTGRES_KEEP_SECONDS: '0' } });
  expect(await bench.hasServer()).toBe(false);
});
