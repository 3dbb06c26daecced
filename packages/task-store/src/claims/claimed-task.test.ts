import { expect, it } from 'vitest';
import { taskRow } from '../db/rows.ts';
import { claimedTask } from './claimed-task.ts';

const plain = {
  ...{
    id: 't',
    run_id: 'r',
    repo_id: 'p',
    parent_id: null,
    key: 'a',
    title: 'A',
    goal: 'do',
    role: 'implement',
  },
  ...{
    scope: 'small',
    complexity: 'low',
    risk: 'low',
    priority: 3,
    files: [],
    context: ['docs'],
    signals: [],
  },
  ...{
    agent: null,
    model: null,
    effort: null,
    labels: ['gpu'],
    status: 'CLAIMED',
    version: 2,
    claimable: false,
  },
  ...{
    pending_dependencies: 0,
    max_retries: 2,
    max_attempts: null,
    tries: 0,
    granted_tries: 0,
    conflicts: 0,
  },
  ...{ not_before: null, timeout_ms: null, max_cost_micro_usd: null, approval: false, allow_red: [] },
  ...{ blocked_on: null, cancel_requested: false, source: { kind: 'plan', by: 'ada', trusted: true } },
  ...{ created_at: '2026-11-27T01:02:03.456789+00:00', updated_at: '2026-11-27T01:02:04+00:00' },
  ...{
    settled: false,
    continue_from: null,
    fence: 1,
    rank: '2026-11-27T01:02:03+00:00',
    host: null,
    ready: false,
  },
};

it.each([
  ['with nothing but what each has', plain],
  ['with a named agent', { ...plain, agent: 'claude' }],
  ['with an agent of its own', { ...plain, agent: { command: ['make'] } }],
  [
    'with a time, a cap and a rejected range',
    {
      ...{ ...plain, not_before: '2026-11-28T00:00:00+00:00', max_cost_micro_usd: 5_000_000 },
      ...{ continue_from: { startCommit: 'a', headCommit: 'b' }, max_attempts: 4, effort: 'high' },
    },
  ],
])('gives a claimed task %s as any other read of it does', (_, columns) => {
  expect(claimedTask.parse(columns)).toEqual(taskRow.parse(columns));
});
