import { spawnSync } from 'node:child_process';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';

test('in a repository that was moved, a hint names where its runs are kept and the command that leads back to them', async () => {
  await using bench = await createBench();
  const old = path.join(bench.home, "it's mine");
  const moved = path.join(bench.home, 'moved');
  await bench.repo.git('clone', '--quiet', '.', old);
  expect((await bench.call(['runs', '--repo', old])).stderr).not.toContain('move it back');
  // What a run writes down first of all.
  const state = path.join(bench.home, 'projects', 'its-mine-1');
  await mkdir(path.join(state, 'logs'), { recursive: true });
  await writeFile(path.join(state, 'location'), old);
  expect((await bench.call(['status', '--repo', old])).stderr).not.toContain('move it back');
  await rename(old, moved);

  const told = await bench.call(['status', '--repo', moved, '--json']);
  const { error } = JSON.parse(told.stdout) as { error: { code: string; fix: string } };
  expect(error.code).toBe('NOT_FOUND');
  const [, line = 'false'] = /`(mv [^`]+)`/.exec(error.fix) ?? [];
  expect(spawnSync('sh', ['-c', line]).status, error.fix).toBe(0);
  const back = await bench.call(['status', '--repo', old]);
  expect(back.stderr).toContain('Nothing has run in this repository yet.');
  expect(back.stderr).not.toContain('move it back');
});
