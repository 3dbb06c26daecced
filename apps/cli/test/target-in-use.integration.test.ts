import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createBench, type Bench } from './support/bench.ts';
import { planOf, writes } from './support/plans.ts';

const plan = planOf('t', [{ key: 'a', agent: writes('a.txt', 'a\n') }]);

/** A bench with a branch `side` that conflicts with `main`, which is checked out and has two commits more. */
async function benchWithSide(): Promise<Bench> {
  const bench = await createBench({ 'plan.yaml': plan });
  await bench.repo.git('branch', 'side');
  await bench.repo.commit({ 'readme.txt': 'main\n' }, 'main');
  await bench.repo.commit({ 'readme.txt': 'main again\n' }, 'main again');
  const other = path.join(bench.home, 'side');
  await bench.repo.git('worktree', 'add', '--quiet', other, 'side');
  const commit = 'echo side > readme.txt && git add readme.txt && git commit --quiet -m side';
  execFileSync('sh', ['-c', commit], { cwd: other });
  await bench.repo.git('worktree', 'remove', other);
  return bench;
}

test.each([
  ['bisect', 'bisect', 'start', 'main', 'side'],
  ['bisect that has detached HEAD', 'bisect', 'start', 'main', 'main~2'],
  ['rebase', 'rebase', 'side'],
  ['merge', 'merge', 'side'],
  ['cherry-pick', 'cherry-pick', 'side'],
])(
  'a target in the middle of a %s is refused before the run starts, with a way out that works',
  async (_what, ...git) => {
    await using bench = await benchWithSide();
    await bench.repo.git(...git).catch(() => undefined);
    const args = ['run', 'plan.yaml', '--target', 'main', '--dry-run'];
    const refused = await bench.call(args);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('error TARGET_IN_USE: ')]);
    const check = await bench.call(['plan', 'check', 'plan.yaml']);
    expect(check.exitCode, check.stderr).toBe(0);
    const [, undo = ''] =
      /(?:undo it|End it) with `([^`]+)`/.exec(refused.stderr.replaceAll(/\n\s+/g, ' ')) ?? [];
    execFileSync('sh', ['-c', undo], { cwd: bench.home, stdio: 'ignore' });
    const again = await bench.call(args);
    expect(again.exitCode, again.stderr).toBe(0);
  },
);

test('a target with uncommitted changes in another worktree is refused before the run starts', async () => {
  await using bench = await createBench({ 'plan.yaml': plan });
  const other = path.join(bench.home, 'other');
  await bench.repo.git('worktree', 'add', '--quiet', '-b', 'side', other);
  execFileSync('sh', ['-c', 'echo edited >> plan.yaml'], { cwd: other });
  const args = ['run', 'plan.yaml', '--target', 'side', '--dry-run'];
  const refused = await bench.call(args);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('error REPO_DIRTY: ')]);
  expect(refused.stderr).toContain(other);
  execFileSync('git', ['checkout', '--quiet', 'plan.yaml'], { cwd: other });
  expect((await bench.call(args)).exitCode).toBe(0);
});

test('a target in a worktree that lost its repository, which was moved, is refused with the command that repairs it', async () => {
  await using bench = await createBench({ 'plan.yaml': plan });
  const repo = path.join(bench.home, 'repo');
  await bench.repo.git('clone', '--quiet', bench.repo.path, repo);
  const other = path.join(bench.home, 'other');
  execFileSync('git', ['-C', repo, 'worktree', 'add', '--quiet', '-b', 'side', other]);
  const moved = path.join(bench.home, 'moved');
  renameSync(repo, moved);
  const args = ['run', path.join(moved, 'plan.yaml'), '--repo', moved, '--target', 'side', '--dry-run'];
  const refused = await bench.call(args);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('error GIT_FAILED: ')]);
  const [, repair = ''] = /`(git worktree [^`]+)`/.exec(refused.stderr.replaceAll(/\n\s+/g, ' ')) ?? [];
  execFileSync('sh', ['-c', repair], { cwd: moved, stdio: 'ignore' });
  const again = await bench.call(args);
  expect(again.exitCode, again.stderr).toBe(0);
});

test(
  'an operation that a person begins while the base is verified holds the run, and costs no try',
  { tags: ['long'] },
  async () => {
    await using bench = await benchWithSide();
    const mark = path.join(bench.home, 'begun');
    const begin = `test -e "$0" || { touch "$0" && git -C "$1" bisect start main main~2; }`;
    const gates = [{ name: 'g', command: ['sh', '-c', begin, mark, bench.repo.path] }];
    const text = planOf('t', [{ key: 'a', agent: writes('a.txt', 'a\n') }], { gates });
    await bench.repo.commit({ 'plan.yaml': text }, 'gate');
    const held = await bench.baton(['run', 'plan.yaml', '--target', 'main']);
    expect(held.stderr).toContain('TARGET_IN_USE: main is in the middle of a bisect');
    expect(held.exitCode, held.stderr).toBe(2);
    const { tasks } = JSON.parse((await bench.baton(['status', '--json'])).stdout) as {
      tasks: { tries: number }[];
    };
    expect(tasks).toMatchObject([{ tries: 0 }]);
    await bench.repo.git('bisect', 'reset');
    const done = await bench.baton(['run', '--resume']);
    expect(done.exitCode, done.stderr).toBe(0);
    expect(await bench.repo.git('show', 'main:a.txt')).toBe('a');
  },
);
