import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createBench, type Bench } from './support/bench.ts';
import { planOf, writes } from './support/plans.ts';

/** A run with one landed file. */
async function landed(bench: Bench): Promise<void> {
  await bench.repo.write({ 'plan.yaml': planOf('l', [{ key: 'a', agent: writes('a.txt', 'a\n') }]) });
  expect(await bench.baton(['run', 'plan.yaml'])).toMatchObject({ exitCode: 0 });
}

test('what was merged and whose branch was cleaned away is not called lost', { tags: ['long'] }, async () => {
  await using bench = await createBench();
  await landed(bench);
  await bench.call(['merge']);
  expect((await bench.call(['clean'])).stdout).toContain('refs/heads/baton/l-');
  const looked = await bench.call(['status']);
  expect(looked).toMatchObject({ exitCode: 0, stderr: '' });
  expect(looked.stdout).not.toContain('not there any more');

  await bench.repo.git('reset', '--quiet', '--hard', 'HEAD~1');
  expect((await bench.call(['status'])).stdout).toContain('not there any more: it was deleted');
});

test(
  'a merge in the middle of a rebase or bisect names it, and both commands that it offers work',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    await landed(bench);
    await bench.repo.git('switch', '--quiet', '-c', 'topic');
    await bench.repo.commit({ 'readme.txt': 'topic\n' }, 'topic');
    await bench.repo.git('switch', '--quiet', 'main');
    await bench.repo.commit({ 'readme.txt': 'main\n' }, 'main');
    await bench.repo.git('switch', '--quiet', 'topic');
    await expect(bench.repo.git('rebase', 'main')).rejects.toThrow();
    const type = (text: string, wanted: RegExp) =>
      execFileSync('sh', ['-c', wanted.exec(text)?.[1] ?? 'false'], { cwd: bench.home, stdio: 'ignore' });

    const refused = await bench.call(['merge']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('error TARGET_IN_USE: topic is in the middle of a rebase in ');
    type(refused.stderr, /or undo it with `([^`]+)`/);
    expect(await bench.repo.git('branch', '--show-current')).toBe('topic');

    await bench.repo.git('bisect', 'start', 'HEAD', 'HEAD~1');
    await bench.repo.git('switch', '--quiet', '--detach');
    const again = await bench.call(['merge', '--pr']);
    expect(again.stderr).toContain('topic is in the middle of a bisect in ');
    type(again.stderr, /End it with `([^`]+)`/);
    await bench.repo.git('switch', '--quiet', '--detach');
    expect((await bench.call(['merge'])).stderr).toContain('HEAD is detached');
  },
);

test('a merge commit has the name that the person has in their own settings', async () => {
  await using bench = await createBench();
  await landed(bench);
  await bench.repo.commit({ 'b.txt': 'b' }, 'aside');
  await bench.repo.git('config', '--unset', 'user.name');
  await writeFile(path.join(bench.home, '.gitconfig'), '[include]\n  path = who\n');
  await writeFile(path.join(bench.home, 'who'), '[user]\n  name = Ada\n  email = ada@example.com\n');
  const merged = await bench.call(['merge']);
  expect(merged.stdout).toContain('Merged ');
  expect(await bench.repo.git('log', '-1', '--format=%an, %cn')).toBe('Ada, Ada');
});

test('diff of a run whose gates were red before any work says that nothing has landed', async () => {
  await using bench = await createBench({ 'baton.yaml': 'gates: [{ name: no, command: ["false"] }]\n' });
  await bench.repo.write({ 'plan.yaml': planOf('l', [{ key: 'a', agent: writes('a.txt', 'a\n') }]) });
  expect((await bench.baton(['run', 'plan.yaml'])).stderr).toContain('BASE_RED');
  const { stderr } = await bench.call(['diff']);
  expect(stderr).toMatch(/Nothing of \S+ has landed yet, so there is no branch .* `baton run --resume /s);
});
