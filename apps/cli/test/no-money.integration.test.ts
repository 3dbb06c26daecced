import { fakeAgent } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { planOf, writes } from './support/plans.ts';

test(
  'a budget of $0 is shown as such, lets nothing begin, and is no missing budget',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({
      'plan.yaml': planOf('c', [{ key: 'a', agent: writes('a', 'a'), max_cost: 1 }]),
    });
    const run = await bench.baton(['run', 'plan.yaml', '--budget', '0']);
    expect(run.stderr + run.stdout).toContain('is more than the budget of the whole run, $0:');
    expect(run.stderr + run.stdout).toContain('0 of 1 task landed');
    expect((await bench.call(['status'])).stdout).toMatch(/, cost – of \$0$/m);
    expect((await bench.call(['cost'])).stdout).toMatch(/budget \$0, reserved \$0\.$/m);
    expect((await bench.call(['budget', '0'])).stdout).toContain('$0 → $0; spent $0, reserved $0.');
  },
);

test('cost --by agent adds up what each kind of agent cost', { tags: ['long'] }, async () => {
  const steps = [
    { usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.25 } },
    { write: { 'a.txt': 'x\n' } },
    { say: 'Written.' },
  ];
  const acp = fakeAgent({ steps }, { speaks: 'acp' }).argv;
  await using bench = await createBench({
    'plan.yaml': planOf('c', [
      { key: 'a', agent: { acp, model: 'gpt-4o' } },
      { key: 'b', agent: writes('b', 'b'), max_cost: 0.5 },
    ]),
  });
  const ran = await bench.baton(['run', 'plan.yaml']);
  expect(ran.exitCode, ran.stderr).toBe(0);
  const told = await bench.call(['cost', '--by', 'agent', '--json']);
  expect(JSON.parse(told.stdout)).toMatchObject({
    by: 'agent',
    rows: [
      { key: 'command', costMicroUsd: 500_000, unmeasuredMicroUsd: 500_000 },
      { key: 'acp', costMicroUsd: 250_000, unmeasuredMicroUsd: 0 },
    ],
  });
});
