import { calcPrice } from '@pydantic/genai-prices';
import { expect, test } from 'vitest';
import { findModel, loadCatalog } from './catalog.ts';
import { defaultLadders, providerOrder, snapshotAliases } from './known-models.ts';
import { priceUsage } from './price.ts';

const catalog = loadCatalog();
const key = (reference: string) => {
  const model = findModel(catalog, reference);
  return model.known ? model.key : null;
};

test('a model is found by its id, with or without its provider, and by declared aliases', () => {
  expect(key('claude-sonnet-5')).toBe('anthropic/claude-sonnet-5');
  expect(key('anthropic/claude-sonnet-5')).toBe('anthropic/claude-sonnet-5');
  expect(key('gpt-5-codex')).toBe('openai/gpt-5');
});

test('a dated snapshot is found when the data declares dates for its model', () => {
  expect(key('claude-opus-5-5-20260901')).toBe('anthropic/claude-opus-5-5');
  expect(key('claude-opus-5-5-2026')).toBeNull();
});

test.each([
  'claude-5-sonnet',
  'claude-sonnet-5-turbo',
  'my-claude-sonnet-5',
  'claude',
  'gpt-5-nano-next',
  '',
  'constructor',
])('a name that only resembles a model is unknown: %j', (reference) => {
  expect(findModel(catalog, reference)).toEqual({ known: false, reference });
});

test("a reseller's model is found only with the reseller's name", () => {
  expect(key('openrouter/openai/gpt-5')).toBe('openrouter/openai/gpt-5');
  expect(key('openai/gpt-5')).toBe('openai/gpt-5');
});

test('an id that several providers sell has the price of its maker', () => {
  expect(key('claude-opus-5')).toBe('anthropic/claude-opus-5');
  expect(key('google/claude-opus-5')).toBe('google/claude-opus-5');
});

test.each(providerOrder)('the data holds models of %s', (provider) => {
  const models = [...catalog.names.values()].filter((model) => model.provider === provider);
  expect(models.length).toBeGreaterThan(0);
});

test.each(Object.entries(snapshotAliases))('the price data agrees that %s is %s', (alias, target) => {
  const at = new Date(Date.UTC(2026, 10, 21));
  const result = calcPrice({ input_tokens: 1 }, alias, { providerId: 'anthropic', timestamp: at });
  expect(`anthropic/${result?.model.id}`).toBe(target);
  expect(key(alias)).toBe(target);
});

test.each(defaultLadders)('the models of the ladder %s … are known and grow dearer', (...ladder) => {
  const usage = { inputTokens: 1000, outputTokens: 1000, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const costs = ladder.map(
    (model) =>
      priceUsage(catalog, { ...usage, model, costMicroUsd: null, estimated: false }).costMicroUsd ?? -1,
  );
  expect(costs).toEqual([...costs].sort((a, b) => a - b));
  expect(new Set(costs).size).toBe(ladder.length);
  expect(Math.min(...costs)).toBeGreaterThan(0);
});

test('an override adds a model', () => {
  const own = loadCatalog({
    overrides: { models: { 'local-llama': { input: 0, output: 0, context: 8192 } } },
  });
  expect(findModel(own, 'local-llama')).toMatchObject({ key: 'override/local-llama', contextTokens: 8192 });
  expect(key('local-llama')).toBeNull();
});

test('an override of a known model holds for all of its names', () => {
  const own = loadCatalog({ overrides: { models: { 'gpt-5': { input: 7, output: 7 } } } });
  for (const name of ['gpt-5', 'openai/gpt-5', 'gpt-5-codex']) {
    expect(findModel(own, name)).toMatchObject({ source: 'override', key: 'openai/gpt-5' });
  }
  expect(findModel(own, 'openrouter/openai/gpt-5')).toMatchObject({ source: 'data' });
});

test('an alias of an override resolves to its model', () => {
  const own = loadCatalog({ overrides: { aliases: { sonnet: 'claude-sonnet-5' } } });
  expect(findModel(own, 'sonnet')).toMatchObject({ key: 'anthropic/claude-sonnet-5' });
});

test('an alias of nothing is refused by name', () => {
  expect(() => loadCatalog({ overrides: { aliases: { fast: 'warp-9' } } })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', at: 'aliases.fast' }),
  );
});

test('an unknown key of an override is refused by name', () => {
  const overrides = { models: { m: { input: 1, output: 1, cached: 1 } } };
  expect(() => loadCatalog({ overrides })).toThrow(/models\.m\.cached: unknown key "cached"/);
});
