import { execFileSync } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

import { until } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench, type Bench } from '../support/bench.ts';
import { planOf } from '../support/plans.ts';

interface Rescued {
  salvage: { key: string; ref: string; kind: string }[];
}

/** Each try leaves something else behind and fails. */
const agent = { command: ['sh', '-c', 'cat >/dev/null; echo "half $$" > half.txt; mkfifo pipe; exit 3'] };

async function saved(bench: Bench): Promise<string[]> {
  const told = await bench.call(['rescue', 'bad', '--json']);
  return (JSON.parse(told.stdout) as Rescued).salvage.map(({ ref }) => ref);
}

test('rescue finds what was left under `baton run` and what was left under the workers of `baton up`', async () => {
  await using bench = await createBench({
    'plan.yaml': planOf('c', [{ key: 'bad', agent, max_retries: 0 }]),
  });
  expect((await bench.baton(['run', 'plan.yaml'])).exitCode).toBe(1);
  const [first = ''] = await saved(bench);
  expect(first).toMatch(/^refs\/baton\/salvage\//);
  expect((await bench.call(['rescue', 'bad'])).stdout).toContain(
    'In no ref: 1 name, with the reasons in `baton rescue bad --left-out`.',
  );
  expect((await bench.call(['rescue', 'bad', '--left-out'])).stdout).toContain(
    'pipe: a pipe, socket or device',
  );
  const list = JSON.parse((await bench.call(['rescue', 'bad', '--left-out', '--json'])).stdout) as object;
  expect(list).toMatchObject({ leftOut: [{ key: 'bad', leftOut: [{ file: 'pipe', reason: 'special' }] }] });
  const up = bench.start(['up', '--port', '0', '--workers', '1', '--json']);
  await until(() => up.stdout().includes('worker-1'), { what: 'the worker is ready', timeoutMs: 120_000 });
  const retried = await bench.call(['retry', 'bad', '--reason', 'once more']);
  expect(retried.exitCode, retried.stderr).toBe(0);
  const refs = await until(async () => (await saved(bench)).length === 2 && saved(bench), {
    what: 'the second try was saved',
    timeoutMs: 120_000,
  });
  expect(refs[1]).toBe(first);
  const texts: string[] = [];
  for (const [index, ref] of refs.entries()) {
    const into = path.join(bench.home, `out-${index}`);
    expect((await bench.call(['rescue', 'bad', '--ref', ref, '--into', into])).stdout).toContain(
      'of bad into',
    );
    texts.push(await readFile(path.join(into, 'half.txt'), 'utf8'));
  }
  expect(new Set(texts).size).toBe(2);
  const newest = path.join(bench.home, 'newest');
  const wrote = await bench.call(['rescue', 'bad', '--into', newest]);
  // The pipe that it left, too, is no file.
  expect(wrote.exitCode).toBe(1);
  expect(wrote.stdout).toMatch(/^Wrote 2 files of bad into .*\nNot written: 1 name .*\n {2}pipe\n/);
  const none = await bench.call(['rescue', 'bad', '--ref', 'refs/x', '--into', path.join(bench.home, 'x')]);
  expect([none.exitCode, none.stderr]).toEqual([
    2,
    expect.stringContaining('refs/x is no saved work of bad.'),
  ]);
  expect(await readFile(path.join(newest, 'half.txt'), 'utf8')).toBe(texts[0]);
  up.child.kill('SIGINT');
  expect((await up.ended).exitCode).toBe(0);
});

test(
  'rescue finds work that was committed for an attempt whose end was not recorded, and not what was judged',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({
      'plan.yaml': planOf('c', [{ key: 'a', agent: { command: ['sh', '-c', 'echo mine > mine.txt'] } }]),
    });
    expect((await bench.baton(['run', 'plan.yaml'])).exitCode).toBe(0);
    expect((await bench.call(['rescue', 'a'])).stdout).toContain('Nothing was left behind.');
    let clone = '';
    for await (const found of glob('**/clone.git', { cwd: bench.home })) clone = found;
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', path.join(bench.home, clone), ...args], { encoding: 'utf8' }).trim();
    const [ref = ''] = git('for-each-ref', '--format=%(refname)', 'refs/baton/attempts').split('\n');
    const person = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    const lost = git(...person, 'commit-tree', `${ref}^{tree}`, '-p', ref, '-m', 'committed, then killed');
    git('update-ref', `${path.posix.dirname(ref)}/99`, lost);
    const told = await bench.call(['rescue', 'a']);
    expect(told.stdout).toContain('committed, then killed');
    // Whoever found the worktree after the crash saved the same files once more.
    const salvage = ref.replace('refs/baton/attempts', 'refs/baton/salvage');
    const saved = git(...person, 'commit-tree', `${ref}^{tree}`, '-p', ref, '-m', 'saved');
    git('update-ref', `${path.posix.dirname(salvage)}/100`, saved);
    const both = await bench.call(['rescue', 'a', '--json']);
    expect((JSON.parse(both.stdout) as { salvage: unknown[] }).salvage).toHaveLength(1);
    git('update-ref', '-d', `${path.posix.dirname(salvage)}/100`);
    const into = path.join(bench.home, 'out');
    expect((await bench.call(['rescue', 'a', '--into', into])).stdout).toContain('Wrote');
    expect(await readFile(path.join(into, 'mine.txt'), 'utf8')).toBe('mine\n');
  },
);
