import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf, type Step } from '../support/plans.ts';

/** An agent that moves one file and writes others, as `sh`. */
const does = (script: string) => ({ command: ['sh', '-c', `cat >/dev/null; ${script}`] });

const files = {
  'src/a.txt': 'a\n',
  'src2/b.txt': 'b\n',
  'tool.sh': 'echo\n',
  'package.json': '{}\n',
  'package-lock.json': '{}\n',
};

const steps: Step[] = [
  { key: 'keeps-to-it', files: ['src/'], agent: does('echo new > src/new.txt; rm src/a.txt') },
  { key: 'sibling', files: ['src'], agent: does('echo x > src2/b.txt') },
  { key: 'moves-out', files: ['docs'], agent: does('mkdir docs; git mv tool.sh docs/tool.sh') },
  { key: 'makes-runnable', files: ['own.txt'], agent: does('echo x > own.txt; chmod +x src2/b.txt') },
  {
    key: 'dependency',
    files: ['package.json'],
    agent: does(
      `echo '{ "dependencies": { "left": "1.0.0" } }' > package.json; echo "{ }" > package-lock.json`,
    ),
  },
];

test('a step that owns files is refused by the names of others that it changes, and lands what keeps to it', async () => {
  await using bench = await createBench({
    ...files,
    'plan.yaml': planOf(
      'owned',
      steps.map((step) => ({ ...step, max_retries: 0 })),
    ),
  });
  const ended = await bench.baton(['run', 'plan.yaml', '--json']);
  const { tasks } = JSON.parse(ended.stdout) as { tasks: { key: string; status: string }[] };
  expect(Object.fromEntries(tasks.map(({ key, status }) => [key, status]))).toEqual({
    'keeps-to-it': 'CLOSED',
    sibling: 'FAILED',
    'moves-out': 'FAILED',
    'makes-runnable': 'FAILED',
    dependency: 'CLOSED',
  });
  for (const [key, named] of [
    ['sibling', 'src2/b.txt'],
    ['moves-out', 'tool.sh'],
    ['makes-runnable', 'src2/b.txt'],
  ] as const) {
    const task = await bench.baton(['task', key]);
    expect(task.stdout).toMatch(new RegExp(`✘ files \\(builtin\\) changed outside of .*: ${named}\\.`));
  }
});

test(
  'files_strict: false only reports: set in a step, in a plan, and in a repository as the default',
  { tags: ['long'] },
  async () => {
    const [, sibling] = steps;
    const step = { ...sibling, key: 'sibling', max_retries: 0 };
    await using bench = await createBench({
      ...files,
      'step.yaml': planOf('step', [{ ...step, files_strict: false }]),
      'plan.yaml': planOf('plan', [step], { files_strict: false }),
      'strict.yaml': planOf('strict', [step], { files_strict: true }),
      'default.yaml': planOf('default', [step]),
    });
    for (const file of ['step.yaml', 'plan.yaml']) {
      expect((await bench.baton(['run', file])).exitCode, file).toBe(0);
      const task = await bench.baton(['task', 'sibling']);
      expect(task.stdout).toMatch(
        /✘ files \(builtin, advisory(, cached)?\) changed outside of src: src2\/b\.txt\./,
      );
    }
    await bench.repo.commit({ 'baton.yaml': 'files_strict: false\n' }, 'settings');
    expect((await bench.baton(['run', 'default.yaml'])).exitCode).toBe(0);
    expect((await bench.baton(['run', 'strict.yaml'])).exitCode).toBe(1);
  },
);
