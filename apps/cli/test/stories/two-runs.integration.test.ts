import { diffSnapshots } from '@baton/testkit';
import { expect, test } from 'vitest';

import type { RunResult } from '../../src/run/summary.ts';
import { createBench } from '../support/bench.ts';
import { planOf, writes } from '../support/plans.ts';

const threeFiles = (name: string) =>
  planOf(
    name,
    ['a', 'b', 'c'].map((key) => ({
      key,
      title: `${name} ${key}`,
      agent: writes(`${name}/${key}.txt`, `${key}\n`),
      files: [`${name}/${key}.txt`],
    })),
  );

test('two runs at once on one repository both finish, each on its own branch', async () => {
  await using bench = await createBench({
    'readme.txt': 'hello\n',
    'left.yaml': threeFiles('left'),
    'right.yaml': threeFiles('right'),
  });
  const before = await bench.repo.snapshot();
  const ended = await Promise.all([
    bench.baton(['run', 'left.yaml', '--json']),
    bench.baton(['run', 'right.yaml', '--json']),
  ]);
  for (const [index, name] of ['left', 'right'].entries()) {
    expect(ended[index]?.exitCode, ended[index]?.stderr).toBe(0);
    const { target } = JSON.parse(ended[index]?.stdout ?? '') as RunResult;
    const files = await bench.repo.git('ls-tree', '-r', '--name-only', target);
    expect(files.split('\n').filter((file) => file.includes('/'))).toEqual(
      ['a', 'b', 'c'].map((key) => `${name}/${key}.txt`),
    );
  }
  const except = [/^ref refs\/heads\/baton\//, /^ref refs\/baton\//];
  expect(diffSnapshots(before, await bench.repo.snapshot(), { except })).toEqual([]);
  expect(await bench.hasServer()).toBe(false);
});

test('two runs at once onto one branch both land there, one commit a task', { tags: ['long'] }, async () => {
  await using bench = await createBench({
    'readme.txt': 'hello\n',
    'left.yaml': threeFiles('left'),
    'right.yaml': threeFiles('right'),
  });
  await bench.repo.git('branch', 'release');
  const ended = await Promise.all(
    ['left', 'right'].map((name) => bench.baton(['run', `${name}.yaml`, '--target', 'release', '--json'])),
  );
  expect(
    ended.map(({ exitCode }) => exitCode),
    ended.map(({ stderr }) => stderr).join('\n'),
  ).toEqual([0, 0]);
  const subjects = (await bench.repo.git('log', '--format=%s', 'main..release')).split('\n');
  expect(subjects.sort()).toEqual(['left a', 'left b', 'left c', 'right a', 'right b', 'right c']);
});

test('work for the branch that is checked out arrives in the checkout by fast-forward', async () => {
  await using bench = await createBench({ 'readme.txt': 'hello\n', 'left.yaml': threeFiles('left') });
  const ended = await bench.baton(['run', 'left.yaml', '--target', 'main', '--json']);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(await bench.repo.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
  expect(await bench.repo.git('status', '--porcelain')).toBe('');
  expect(await bench.repo.git('ls-files', 'left')).toBe('left/a.txt\nleft/b.txt\nleft/c.txt');
});
