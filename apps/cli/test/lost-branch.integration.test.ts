import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { planOf, writes } from './support/plans.ts';

const plan = planOf('cut', [
  { key: 'one', agent: writes('one.txt', 'one\n') },
  { key: 'two', agent: writes('two.txt', 'two\n'), depends_on: ['one'] },
]);

test('merge and diff of a run whose branch was deleted or moved back say what is missing, with the command that helps', async () => {
  await using bench = await createBench({ 'plan.yaml': plan });
  const { git } = bench.repo;
  expect((await bench.baton(['run', 'plan.yaml'])).exitCode).toBe(0);
  const target = await git('for-each-ref', '--format=%(refname:short)', 'refs/heads/baton/');
  const head = await git('rev-parse', target);
  const restore = `git branch ${target} ${head}`;

  await git('branch', '-D', target);
  for (const verb of ['merge', 'diff']) {
    const ended = await bench.call([verb]);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain(`error REF_INVALID: The branch ${target} does not exist.`);
    expect(ended.stderr).toContain(`Bring back what landed: ${restore}`);
  }

  await git('branch', target, `${head}~1`);
  const partly = await bench.call(['merge']);
  expect(partly.exitCode).toBe(0);
  expect(partly.stdout).toContain(`Took ${target} into main`);
  expect(partly.stdout).toMatch(/two landed on \S+, and is not there any more: it was moved to /);
  const json = JSON.parse((await bench.call(['merge', '--json'])).stdout) as unknown;
  expect(json).toMatchObject({ kind: 'up_to_date', lost: { kind: 'behind', tasks: [{ key: 'two' }] } });

  await git('branch', '-f', target, head);
  const whole = await bench.call(['merge']);
  expect(whole.stdout).not.toContain('not there any more');
  expect(await git('rev-parse', 'main')).toBe(head);
  await git('branch', '-f', target, `${head}~1`);
  expect((await bench.call(['merge'])).stdout).not.toContain('not there any more');
});
