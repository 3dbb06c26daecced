import { fakeAgent } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf, writes } from '../support/plans.ts';

const answer = <T>(stdout: string): T => JSON.parse(stdout) as T;

test('a run that has spent its budget says so, continues after `baton budget`, and takes none below what it spent', async () => {
  const costly = fakeAgent(
    {
      steps: [
        { usage: { inputTokens: 1_000, outputTokens: 1_000, costUsd: 0.97 } },
        { write: { 'a.txt': 'a\n' } },
        { say: 'Written.' },
      ],
    },
    { speaks: 'acp' },
  );
  await using bench = await createBench({
    'plan.yaml': planOf(
      'dear',
      [
        { key: 'a', agent: { acp: costly.argv, model: 'gpt-4o' }, max_cost: 0.98 },
        { key: 'b', agent: writes('b.txt', 'b\n'), depends_on: ['a'] },
      ],
      { budget: { usd: 1 } },
    ),
  });
  const poor = await bench.baton(['run', 'plan.yaml']);
  expect(poor.exitCode, poor.stderr).toBe(3);
  expect(poor.stdout).toMatch(/‖ dear-[a-z0-9]{4} is waiting: 1 of 2 tasks landed/);
  expect(poor.stdout).toMatch(/^ {2}baton budget <usd> dear-[a-z0-9]{4} +let it spend more$/m);
  expect(poor.stdout).not.toContain('baton approve');

  const why = answer<{ unblock: string }>((await bench.baton(['explain', 'b', '--json'])).stdout);
  expect(why).toMatchObject({ cause: 'budget', owner: 'a person' });
  expect(why.unblock).toMatch(/^baton budget <usd> (dear-[a-z0-9]{4}) && baton run --resume \1$/);

  for (const how of [['0.50'], ['0.50', '--dry-run'], ['0.969999', '--dry-run']]) {
    const less = await bench.baton(['budget', ...how]);
    expect(less.exitCode).toBe(2);
    expect(less.stderr).toContain('error BUDGET_EXCEEDED');
    expect(less.stderr).toContain('Give at least $0.97.');
  }
  for (const enough of ['$0.97', 'none'])
    expect((await bench.baton(['budget', enough, '--dry-run'])).exitCode).toBe(0);
  const looked = await bench.baton(['budget', '5', '--dry-run']);
  expect(looked.stdout, looked.stderr).toContain('$1.00 → $5.00; spent $0.9700');

  const raised = await bench.baton(['budget', '5', '--reason', 'worth it', '--json']);
  expect(raised.exitCode, raised.stderr).toBe(0);
  expect(answer(raised.stdout)).toEqual({
    dryRun: false,
    runId: expect.any(String),
    status: 'running',
    fromMicroUsd: 1_000_000,
    toMicroUsd: 5_000_000,
    spentMicroUsd: 970_000,
    reservedMicroUsd: 0,
    next: expect.stringContaining('`baton run --resume '),
  });
  const ended = await bench.baton(['run', '--resume', '--json']);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(answer(ended.stdout)).toMatchObject({
    status: 'done',
    tasks: [{ status: 'CLOSED' }, { status: 'CLOSED' }],
  });
  expect((await bench.baton(['verify-audit'])).exitCode).toBe(0);
});

test(
  'a run whose tasks all take more than its budget has ends by itself and says what to type, which sets it going',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({
      'plan.yaml': planOf(
        'poor',
        [
          { key: 'a', agent: writes('a.txt', 'a\n') },
          { key: 'b', agent: writes('b.txt', 'b\n'), depends_on: ['a'], max_cost: 3 },
        ],
        { budget: { usd: 2 } },
      ),
    });
    const poor = await bench.baton(['run', 'plan.yaml']);
    expect(poor.exitCode, poor.stderr).toBe(3);
    expect(poor.stdout).toMatch(/‖ poor-[a-z0-9]{4} is waiting: 1 of 2 tasks landed/);
    expect(poor.stdout).toContain('the budget has no room for b: $2 are left, at least $3 are needed');
    expect(poor.stdout).toMatch(/^ {2}baton budget <usd> poor-[a-z0-9]{4} +let it spend more$/m);

    const status = answer<{
      run: { status: string; statusReason: string };
      explanations: { cause: string }[];
    }>((await bench.baton(['status', '--json'])).stdout);
    expect(status.run.status).toBe('waiting');
    expect(status.explanations).toMatchObject([{ cause: 'budget', owner: 'a person' }]);
    const again = await bench.baton(['run', '--resume']);
    expect(again.exitCode, 'nothing has changed').toBe(3);

    const raised = await bench.baton(['budget', '3', '--json']);
    expect(answer(raised.stdout), raised.stderr).toMatchObject({ status: 'running' });
    const ended = await bench.baton(['run', '--resume', '--json']);
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(answer(ended.stdout)).toMatchObject({
      status: 'done',
      tasks: [{ status: 'CLOSED' }, { status: 'CLOSED' }],
    });
  },
);

test('a run that begins without enough money ends by itself, too', async () => {
  await using bench = await createBench({
    'plan.yaml': planOf('none', [{ key: 'a', agent: writes('a.txt', 'a\n'), max_cost: 3 }], {
      budget: { usd: 2 },
    }),
  });
  const poor = await bench.baton(['run', 'plan.yaml', '--json']);
  expect(poor.exitCode, poor.stderr).toBe(3);
  expect(answer(poor.stdout)).toMatchObject({ status: 'waiting', tasks: [{ status: 'OPEN', attempts: 0 }] });
});

test('baton budget teaches how to use it, and refuses what is no amount', async () => {
  await using bench = await createBench();
  const help = await bench.call(['budget', '--help']);
  expect(help.exitCode).toBe(0);
  expect(help.stdout).toContain('$ baton budget none tidy-7k2f');
  for (const amount of ['ten', '1e3', '2000000', '-1']) {
    const refused = await bench.call(['budget', '--', amount]);
    expect(refused.exitCode, amount).toBe(2);
    expect(refused.stderr, amount).toContain('such as 5 or 0.50, or "none"');
  }
  const nothing = await bench.call(['budget', '$2.50', '--json']);
  expect(JSON.parse(nothing.stdout)).toMatchObject({ error: { code: 'NOT_FOUND' } });
});
