import { execFileSync } from 'node:child_process';
import path from 'node:path';

import { expect, test, vi } from 'vitest';

import { createBench } from './support/bench.ts';
import { planOf } from './support/plans.ts';

test(
  'a run that only a person can move says in its rows what they can do, and continues once that is done',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({ 'kept.txt': 'kept\n' });
    const other = path.join(bench.home, 'other');
    await bench.repo.git('worktree', 'add', '--quiet', '-b', 'side', other);
    const script = `echo a > a.txt; echo edited >> '${path.join(other, 'kept.txt')}'`;
    const plan = planOf('t', [{ key: 'a', agent: { command: ['sh', '-c', script] } }]);
    await bench.repo.commit({ 'plan.yaml': plan }, 'plan');
    execFileSync('git', ['merge', '--quiet', 'main'], { cwd: other });
    const run = bench.start(['run', 'plan.yaml', '--target', 'side']);
    const hint = 'To unblock: commit or stash the changes of the checkout.';
    await vi.waitFor(() => expect(run.stderr().replaceAll(/\s+/g, ' ')).toContain(hint), {
      ...{ timeout: 60_000, interval: 100 },
    });
    execFileSync('git', ['stash', '--quiet'], { cwd: other });
    expect(await run.ended).toMatchObject({ exitCode: 0 });
  },
);
