import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';

const plan = `name: t
agents: { slow: { command: [sh, -c, 'sleep 30'] } }
stages: [{ name: a, steps: [{ key: one, title: One, agent: slow }] }]
`;

test.each([
  ['while it is imported', 'process.exit(0);', ''],
  ['in its set-up', '', 'process.exit(0);'],
])('a plugin that ends the process %s makes no success of a run', async (_when, module, setup) => {
  const required = setup !== '';
  await using bench = await createBench({
    'plan.yaml': plan,
    'baton.yaml': 'plugins: [{ name: ./leaver.mjs }]\n',
    'leaver.mjs': `${module}\nexport const plugin = { name: 'leaver', version: '1.0.0', required: ${required}, setup() { ${setup} } };\n`,
  });
  const { exitCode, stderr } = await bench.baton(['run', 'plan.yaml', '--yes']);
  expect(exitCode, stderr).toBe(2);
  expect(stderr).toContain('it called process.exit(0), which would end Baton');
});

test('a process that ends before its command is over ends with exit code 1 and says so, as one object with --json', async () => {
  await using bench = await createBench({ 'plan.yaml': plan });
  const early = '--import=data:text/javascript,setTimeout(()=>process.exit(0),10)';
  const { exitCode, stdout, stderr } = await bench.baton(['doctor', '--json'], {
    nodeArguments: ['--conditions=@baton/source', '--no-warnings', early],
  });
  expect(exitCode, stderr).toBe(1);
  expect(stderr).toContain('error BUG: The process ended before its command was over.');
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'BUG' } });
});
