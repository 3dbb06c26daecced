import { access, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { createRepo } from '@baton/testkit';
import { projectState } from '@baton/worker';
import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { storesFirst } from './support/empty-cluster.ts';

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

test('a bench has a copied cluster with the schema from its first storing command on, closed to others and not running', async () => {
  await using bench = await createBench();
  const { pgHome } = projectState({ home: bench.home, repoRoot: bench.repo.path });
  await bench.call(['runs']);
  expect(await isThere(pgHome)).toBe(false);
  // Refused before it opens the store: what is there was copied.
  expect((await bench.baton(['run', 'nowhere.yaml'])).exitCode).toBe(2);
  expect((await readdir(pgHome)).sort()).toEqual(['pg', 'pg-password', 'schema']);
  expect((await stat(path.join(pgHome, 'pg'))).mode & 0o777).toBe(0o700);
  expect((await stat(path.join(pgHome, 'pg-password'))).mode & 0o777).toBe(0o600);
  expect(await readFile(path.join(pgHome, 'pg', 'PG_VERSION'), 'utf8')).toMatch(/^\d+\n$/);
  expect(await isThere(path.join(pgHome, 'pg', 'postmaster.pid'))).toBe(false);
  const { ino } = await stat(path.join(pgHome, 'pg'));
  bench.giveCluster();
  expect((await stat(path.join(pgHome, 'pg'))).ino).toBe(ino);
});

test(
  'a repository beside the one of the bench has a copied cluster as well, and a folder that is none has not',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    await using beside = await createRepo({ 'readme.txt': 'hello\n' });
    const filesOf = (repoRoot: string) =>
      readdir(projectState({ home: bench.home, repoRoot }).pgHome).catch(() => []);
    await bench.baton(['run', 'nowhere.yaml'], { cwd: beside.path });
    expect(await filesOf(beside.path)).toContain('schema');
    expect(await filesOf(bench.repo.path)).toEqual([]);
    await bench.baton(['run', 'nowhere.yaml', '--repo', bench.repo.path], { cwd: bench.home });
    expect(await filesOf(bench.repo.path)).toContain('schema');
    await bench.baton(['run', 'nowhere.yaml'], { cwd: bench.home });
    expect(await filesOf(bench.home)).toEqual([]);
  },
);

test('a bench of which making the cluster is the point has none', async () => {
  await using bench = await createBench({ 'readme.txt': 'hello\n' }, { initdb: true });
  await bench.baton(['run', 'nowhere.yaml']);
  expect(await isThere(projectState({ home: bench.home, repoRoot: bench.repo.path }).pgHome)).toBe(false);
});

test('only commands that store something first count as such', () => {
  const storing = ['run plan.yaml', 'run - --json', 'up --port 0', 'plan goal --yes', 'keys create ci'];
  const others = [
    'run --resume',
    'run a.yaml --dry-run',
    'plan check a.yaml',
    'plan approve',
    'keys list',
    'status',
  ];
  for (const words of storing) expect(storesFirst(words.split(' ')), words).toBe(true);
  for (const words of others) expect(storesFirst(words.split(' ')), words).toBe(false);
});
