import { expect, test } from 'vitest';
import { findModel, loadCatalog } from './catalog.ts';
import { hasPrice, priceUsage } from './price.ts';
import type { RouteInput } from './route-types.ts';
import { route } from './route.ts';
import { runCatalog } from './run-catalog.ts';

const own = { prices: { 'house-model': { input: 2, output: 10, cache_read: 0.5 } } };
const usage = {
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  cacheReadTokens: 2_000_000,
  cacheWriteTokens: 0,
};

/** A task for an agent under a budget of one dollar. */
function input(model: string | null, more: Partial<RouteInput> = {}): RouteInput {
  return {
    task: {
      ...{ role: 'backend', scope: 'small', complexity: 'medium', risk: 'low', effort: null },
      ...{ agent: 'claude-code', model },
    },
    run: { agents: {}, defaultAgent: null, routing: null },
    installed: [{ name: 'claude-code', ready: true }],
    history: [],
    budget: { capMicroUsd: 1e6, spentMicroUsd: 0, reservedMicroUsd: 0, reservationMicroUsd: 5e5 },
    catalog: loadCatalog(),
    ...more,
  };
}

test('prices of baton.yaml come before those of the price data, for that run alone', () => {
  const catalog = runCatalog(own);
  const spent = { ...usage, model: 'house-model', costMicroUsd: null, estimated: false };
  expect(priceUsage(catalog, spent)).toEqual({ costMicroUsd: 4_000_000, estimated: false });
  expect(findModel(runCatalog(null), 'house-model').known).toBe(false);
  expect(runCatalog({ ...own })).toBe(catalog);
});

test('short names of models have the price of the model that they stand for', () => {
  const names = ['sonnet', 'opus', 'haiku', 'fable'].map((name) => findModel(runCatalog(null), name));
  expect(names.map((model) => model.known && model.key)).toEqual([
    'anthropic/claude-sonnet-5',
    'anthropic/claude-opus-5-5',
    'anthropic/claude-haiku-4-5',
    'anthropic/claude-fable-5-1',
  ]);
});

test('a model without a price is refused with lines for baton.yaml that then let it through', () => {
  const refused = route(input('house-model'));
  expect(refused).toMatchObject({ ok: false, code: 'PRICE_UNKNOWN' });
  const [, line = '{}'] = /prices: (\{.*\}\s*\})/.exec(refused.ok ? '' : refused.fix) ?? [];
  const prices: unknown = JSON.parse(line.replaceAll(/(\w+): (\d)/g, '"$1": $2'));
  expect(prices).toEqual({ 'house-model': { input: 3, output: 15 } });
  expect(hasPrice(runCatalog({ prices }), 'house-model')).toBe(true);
  expect(route(input('house-model', { catalog: runCatalog({ prices }) })).ok).toBe(true);
});

test('an agent that reports its own cost needs no price, not even a model, and stays within the budget', () => {
  const costTellers = ['claude-code'];
  expect(route(input(null)).ok).toBe(false);
  expect(route(input(null, { costTellers })).ok).toBe(true);
  const spent = { capMicroUsd: 1e6, spentMicroUsd: 8e5, reservedMicroUsd: 0, reservationMicroUsd: 5e5 };
  expect(route(input(null, { costTellers, budget: spent }))).toMatchObject({ code: 'BUDGET_EXCEEDED' });
});
