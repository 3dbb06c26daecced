import { spawnSync } from 'node:child_process';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createBench, type Bench } from './support/bench.ts';

/** What a run leaves of a repository: the place, and a clone with what it began on. */
async function stateOf(bench: Bench, place: string): Promise<void> {
  const state = path.join(bench.home, 'projects', path.basename(place).replace(/\W/g, '-'));
  await mkdir(path.join(state, 'logs'), { recursive: true });
  await mkdir(path.join(state, 'repos', 'r'), { recursive: true });
  await bench.repo.git('clone', '--quiet', '--bare', place, path.join(state, 'repos', 'r', 'clone.git'));
  await writeFile(path.join(state, 'location'), place);
}

/** Types the line of a hint. */
function follow(fix: string): void {
  const [, line = 'false'] = /`((?:mkdir|mv) [^`]+)`/.exec(fix) ?? [];
  expect(spawnSync('sh', ['-c', line]).status, fix).toBe(0);
}

test('in a repository that was moved, a hint names where its runs are kept and the command that leads back to them', async () => {
  await using bench = await createBench();
  const old = path.join(bench.home, "it's mine");
  const moved = path.join(bench.home, 'moved');
  await bench.repo.git('clone', '--quiet', '.', old);
  expect((await bench.call(['runs', '--repo', old])).stderr).not.toContain('move it back');
  await stateOf(bench, old);
  expect((await bench.call(['status', '--repo', old])).stderr).not.toContain('move it back');
  await rename(old, moved);

  const told = await bench.call(['status', '--repo', moved, '--json']);
  const { error } = JSON.parse(told.stdout) as { error: { code: string; fix: string } };
  expect(error.code).toBe('NOT_FOUND');
  follow(error.fix);
  const back = await bench.call(['status', '--repo', old]);
  expect(back.stderr).toContain('Nothing has run in this repository yet.');
  expect(back.stderr).not.toContain('move it back');
});

test('the hint names a place whose folder is gone too, once there are later commits, and none of another history', async () => {
  await using bench = await createBench();
  const git = (...args: string[]) => bench.repo.git('-c', 'user.name=t', '-c', 'user.email=t@e.x', ...args);
  const old = path.join(bench.home, 'work', 'mine');
  const other = path.join(bench.home, 'other');
  await git('clone', '--quiet', '.', old);
  await git('init', '--quiet', other);
  await git('-C', other, 'commit', '--quiet', '--allow-empty', '-m', 'another history');
  await stateOf(bench, old);
  const clone = path.join(bench.home, 'projects', 'mine', 'repos', 'r', 'clone.git');
  const attempt = await git('-C', clone, 'commit-tree', '-p', 'HEAD', '-m', 'an attempt', 'HEAD^{tree}');
  await git('-C', clone, 'update-ref', 'refs/baton/attempts/t/1', attempt);
  const moved = path.join(bench.home, 'moved');
  await rename(old, moved);
  await rm(path.dirname(old), { recursive: true });
  await git('-C', moved, 'commit', '--quiet', '--allow-empty', '-m', 'later');

  expect((await bench.call(['status', '--repo', other])).stderr).not.toContain('move it back');
  const told = await bench.call(['status', '--repo', moved, '--json']);
  follow((JSON.parse(told.stdout) as { error: { fix: string } }).error.fix);
  expect((await bench.call(['status', '--repo', old])).stderr).toContain('Nothing has run');
});
