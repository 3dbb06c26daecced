import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';

test.each<[typed: string[], told: string, fix: string]>([
  [
    ['plan', 'chek', 'plan.yaml'],
    'There is no `baton plan chek`; did you mean "check"?',
    'Say `baton plan check`; `baton help plan` shows what there is.',
  ],
  [
    ['keys', 'creat', 'ci'],
    'There is no `baton keys creat`; did you mean "create"?',
    'Say `baton keys create`; `baton help keys` shows what there is.',
  ],
  [['task'], "missing required argument 'task'", 'See `baton help task`.'],
  [['plan', 'check', '--repo', '.'], "missing required argument 'plan.yaml'", 'See `baton help plan check`.'],
  [['run', 'x y', '--budget', '5USD'], 'Must be US dollars without a sign', 'See `baton help run`.'],
])('%j is answered with what was meant, and the help that is offered is there', async (typed, told, fix) => {
  await using bench = await createBench();
  const { exitCode, stderr } = await bench.call(typed);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(told);
  expect(stderr).toContain(`fix: ${fix}`);
  const [, offered = ''] = /`baton (help[^`]*)`/.exec(fix) ?? [];
  expect(await bench.call(offered.split(' '))).toMatchObject({ exitCode: 0 });
});
