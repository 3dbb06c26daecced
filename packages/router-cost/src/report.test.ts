import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costCsv, costJson, costReport, type CostEntry } from './report.ts';

function entry(change: Partial<CostEntry>): CostEntry {
  return {
    taskId: 't1',
    runId: 'r1',
    role: 'backend',
    model: 'm1',
    at: new Date('2026-11-21T23:59:59Z'),
    inputTokens: 10,
    outputTokens: 1,
    cacheReadTokens: 2,
    cacheWriteTokens: 3,
    costMicroUsd: 100,
    estimated: false,
    ...change,
  };
}

test('the dearest comes first, estimates are listed apart', () => {
  const rows = costReport(
    [entry({}), entry({ model: 'm2', costMicroUsd: 500, estimated: true }), entry({})],
    'model',
  );
  expect(rows.map((row) => [row.key, row.entries, row.costMicroUsd, row.estimatedMicroUsd])).toEqual([
    ['m2', 1, 500, 500],
    ['m1', 2, 200, 0],
  ]);
});

test('days are in order and in UTC, an unnamed model is called unknown', () => {
  const next = entry({ at: new Date('2026-11-22T00:00:00Z'), costMicroUsd: 9_999, model: null });
  expect(costReport([next, entry({})], 'day').map(({ key }) => key)).toEqual(['2026-11-21', '2026-11-22']);
  expect(costReport([next], 'model')[0]?.key).toBe('unknown');
});

test('each agent has its own sum, and an entry without one is called unknown', () => {
  const rows = costReport(
    [entry({ agent: 'b' }), entry({ agent: 'a' }), entry({}), entry({ agent: 'b' })],
    'agent',
  );
  expect(rows.map(({ key, entries, costMicroUsd }) => [key, entries, costMicroUsd])).toEqual([
    ['b', 2, 200],
    ['a', 1, 100],
    ['unknown', 1, 100],
  ]);
});

test('whatever it is broken down by, a report adds up to the whole', () => {
  const entries = fc.array(
    fc.record({
      taskId: fc.constantFrom('a', 'b', 'c'),
      role: fc.constantFrom('x', 'y'),
      costMicroUsd: fc.nat(),
    }),
  );
  fc.assert(
    fc.property(entries, fc.constantFrom('task', 'run', 'role', 'model', 'agent', 'day'), (changes, by) => {
      const all = changes.map(entry);
      const sum = costReport(all, by).reduce((total, row) => total + row.costMicroUsd, 0);
      expect(sum).toBe(all.reduce((total, { costMicroUsd }) => total + costMicroUsd, 0));
    }),
  );
});

test('what a review costs counts for the agent that reviewed, not for the author', () => {
  const entries = [
    entry({ author: 'a', costMicroUsd: 5 }),
    entry({ author: 'a', reviewer: 'b', costMicroUsd: 7 }),
    entry({ author: 'b', reviewer: null, costMicroUsd: 1 }),
    entry({ costMicroUsd: 2 }),
  ];
  expect(costReport(entries, 'agent').map((row) => [row.key, row.costMicroUsd])).toEqual([
    ['b', 8],
    ['a', 5],
    ['unknown', 2],
  ]);
});

test('CSV gives dollars with six decimals and quotes what needs it', () => {
  const rows = costReport([entry({ role: 'a,"b"', costMicroUsd: 1_234_567 })], 'role');
  expect(costCsv(rows).split('\r\n')).toEqual([
    'key,entries,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cost_usd,estimated_usd,unmeasured_usd,unmeasured',
    '"a,""b""",1,10,1,2,3,1.234567,0.000000,0.000000,0',
    '',
  ]);
});

test('a role that begins like a formula is no formula in a spreadsheet', () => {
  expect(costCsv(costReport([entry({ role: '=1+1' })], 'role'))).toContain("\r\n'=1+1,");
});

test('JSON keeps integer micro-dollars', () => {
  expect(JSON.parse(costJson(costReport([entry({})], 'task')))).toMatchObject([
    { key: 't1', costMicroUsd: 100 },
  ]);
});
