import { BatonError } from '@baton/contracts';
import { expect, test } from 'vitest';
import { book, budgetRoom, budgetStep, release, reserve, type Budget } from './budget.ts';
import { loadCatalog } from './catalog.ts';
import { priceUsage } from './price.ts';
import { costCsv, costReport, type CostEntry, type CostGrouping } from './report.ts';
import type { RouteInput } from './route-types.ts';
import { route } from './route.ts';

// What callers hand in whom no type checker saw: a column that is missing, a bigint column as pg gives it, a division by zero.
const none = [undefined, NaN, Infinity, -1, 0.5, 2 ** 53, '7', 5n, {}] as unknown as number[];
const budget: Budget = { capMicroUsd: 100, spentMicroUsd: 50, reservedMicroUsd: 10 };

function refusal(act: () => unknown): BatonError {
  try {
    act();
  } catch (error) {
    if (BatonError.is(error, 'INVALID_INPUT')) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

test.each(none)('an amount of %s is refused by its name, and gives a budget no room', (wrong) => {
  const acts: [string, () => unknown][] = [
    ['capMicroUsd', () => budgetStep({ ...budget, capMicroUsd: wrong })],
    ['spentMicroUsd', () => budgetStep({ ...budget, spentMicroUsd: wrong })],
    ['reservedMicroUsd', () => budgetRoom({ ...budget, reservedMicroUsd: wrong })],
    ['capMicroUsd', () => reserve({ ...budget, capMicroUsd: wrong }, 1_000)],
    ['amountMicroUsd', () => reserve(budget, wrong)],
    ['costMicroUsd', () => book(budget, { costMicroUsd: wrong, reservationMicroUsd: 10 })],
    ['reservationMicroUsd', () => book(budget, { costMicroUsd: 10, reservationMicroUsd: wrong })],
    ['reservationMicroUsd', () => release(budget, wrong)],
  ];
  for (const [name, act] of acts) {
    expect(refusal(act)).toMatchObject({ at: name, fix: expect.stringContaining('micro-dollars') });
  }
});

test('booking more than is reserved in all leaves nothing reserved, never less', () => {
  const { budget: after } = book(budget, { costMicroUsd: 40, reservationMicroUsd: 40 });
  expect(after).toEqual({ capMicroUsd: 100, spentMicroUsd: 90, reservedMicroUsd: 0 });
});

const usage = {
  ...{ model: 'claude-haiku-4-5', inputTokens: 1_000, outputTokens: 0 },
  ...{ cacheReadTokens: 0, cacheWriteTokens: 0, costMicroUsd: null, estimated: false },
};

test('usage that cannot be has no price, reported or reckoned', () => {
  const catalog = loadCatalog();
  for (const wrong of [undefined, NaN, -1, '7', 5n] as unknown as number[]) {
    expect(refusal(() => priceUsage(catalog, { ...usage, costMicroUsd: wrong })).at).toBe('costMicroUsd');
    expect(refusal(() => priceUsage(catalog, { ...usage, cacheReadTokens: wrong })).at).toBe(
      'cacheReadTokens',
    );
  }
  for (const wrong of [0.5, 2 ** 53, Infinity])
    expect(refusal(() => priceUsage(catalog, { ...usage, inputTokens: wrong })).at).toBe('inputTokens');
  for (const at of [new Date('x'), '2026-11-21' as unknown as Date])
    expect(refusal(() => priceUsage(catalog, usage, { at })).at).toBe('at');
});

const task: RouteInput['task'] = {
  role: 'docs',
  scope: 'small',
  complexity: 'low',
  risk: 'low',
  agent: null,
  model: 'claude-haiku-4-5',
  effort: null,
};

test.each(none)('no route is given within a budget with an amount of %s', (wrong) => {
  const whole = { ...budget, reservationMicroUsd: 5 };
  for (const part of Object.keys(whole)) {
    const input = {
      run: { agents: {}, defaultAgent: null, routing: null },
      installed: [{ name: 'a', ready: true }],
      history: [],
    };
    const act = () => route({ task, ...input, budget: { ...whole, [part]: wrong }, catalog: loadCatalog() });
    expect(refusal(act).at).toBe(part);
  }
});

const entry: CostEntry = {
  ...{ taskId: 't', runId: 'r', role: 'docs', model: null, at: new Date(0), inputTokens: 1, outputTokens: 1 },
  ...{ cacheReadTokens: 0, cacheWriteTokens: 0, costMicroUsd: 5, estimated: false },
};

test.each(['constructor', '__proto__', 'Day', undefined])('there is no report by %s', (by) => {
  const { at, fix } = refusal(() => costReport([entry], by as CostGrouping));
  expect([at, fix]).toEqual(['by', 'Use one of task, run, role, model, agent, day.']);
});

test('entries whose cost or time cannot be are refused, not summed', () => {
  for (const wrong of [{ costMicroUsd: NaN }, { costMicroUsd: -5 }, { at: new Date('x') }])
    expect(refusal(() => costReport([entry, { ...entry, ...wrong }], 'day')).at).toBe(Object.keys(wrong)[0]);
});

test('a key that begins with a line feed is no formula in a table', () => {
  expect(costCsv(costReport([{ ...entry, role: '\n=1+1' }], 'role'))).toContain(`"'\n=1+1",1`);
});
