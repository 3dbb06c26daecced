import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf, type Step } from '../support/plans.ts';

const does = (script: string) => ({ command: ['sh', '-c', `cat >/dev/null; ${script}`] });

const statusesOf = (stdout: string) => {
  const { tasks } = JSON.parse(stdout) as { tasks: { key: string; status: string }[] };
  return Object.fromEntries(tasks.map(({ key, status }) => [key, status]));
};

/** A gate whose report says that as many of a hundred lines are covered as a file of the tree says. */
const gates = [
  {
    name: 'tests',
    command: [
      'sh',
      '-c',
      's="$(cat share.txt)"; [ "$s" = none ] || { mkdir -p cov; printf "LF:100\\nLH:%s\\n" "$s" > cov/lcov.info; }',
    ],
    coverage: { file: 'cov/lcov.info', format: 'lcov', may_fall_by: 5 },
  },
];

test('a change after which less is covered than on the target is refused with both figures, within the limit it lands', async () => {
  await using bench = await createBench({ 'share.txt': '80\n' });
  const steps: Step[] = [
    { key: 'keeps', agent: does('echo x > other.txt') },
    { key: 'slightly', agent: does('echo 78 > share.txt'), depends_on: ['keeps'] },
    { key: 'falls', agent: does('echo 60 > share.txt'), depends_on: ['slightly'], max_retries: 0 },
    { key: 'silent', agent: does('echo none > share.txt'), depends_on: ['slightly'], max_retries: 0 },
  ];
  await bench.repo.write({ 'plan.yaml': planOf('coverage', steps, { gates }) });
  const ended = await bench.baton(['run', 'plan.yaml', '--json']);
  expect(statusesOf(ended.stdout), ended.stderr).toEqual({
    keeps: 'CLOSED',
    slightly: 'CLOSED',
    falls: 'FAILED',
    silent: 'FAILED',
  });
  const fallen = await bench.baton(['task', 'falls']);
  expect(fallen.stdout).toContain(
    '✘ coverage (builtin) tests covers 60.00 % of 100 lines, on the target 78.00 % of 100 lines, which is more than 5 points less',
  );
  const silent = await bench.baton(['task', 'silent']);
  expect(silent.stdout).toMatch(/✘ tests \(gate\) .*but it wrote no cov/);
  const kept = await bench.baton(['task', 'slightly']);
  expect(kept.stdout).toContain(
    '✔ coverage (builtin) tests covers 78.00 % of 100 lines, on the target 80.00 % of 100 lines',
  );
});

test('a target without a figure lets the first one land', { tags: ['long'] }, async () => {
  await using bench = await createBench({ 'readme.txt': 'x\n' });
  const command = ['sh', '-c', '[ ! -e write.sh ] || { mkdir cov; sh write.sh; }'];
  const writes = `echo 'printf "LF:10\\nLH:1\\n" > cov/lcov.info' > write.sh`;
  const plan = planOf('reports', [{ key: 'first', agent: does(writes), files: ['write.sh'] }], {
    gates: [{ name: 'tests', command, coverage: { file: 'cov/lcov.info', format: 'lcov' } }],
    allow_red: ['tests'],
  });
  await bench.repo.write({ 'plan.yaml': plan });
  const ended = await bench.baton(['run', 'plan.yaml', '--json']);
  expect(statusesOf(ended.stdout), ended.stderr).toEqual({ first: 'CLOSED' });
  const first = await bench.baton(['task', 'first']);
  expect(first.stdout).toContain('tests covers 10.00 % of 10 lines; the target has no figure');
});
