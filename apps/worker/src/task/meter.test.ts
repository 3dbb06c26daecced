import type { AgentEvent } from '@baton/contracts';
import { loadCatalog } from '@baton/router-cost';
import { expect, test } from 'vitest';
import { createMeter } from './meter.ts';

const usage = {
  ...{ model: null, inputTokens: 2_000, outputTokens: 40_000, cacheReadTokens: 0, cacheWriteTokens: 0 },
  ...{ costMicroUsd: null, estimated: true },
};
const givenUp: AgentEvent = {
  type: 'unmeasured',
  reason: 'A question to the model was given up.',
  atMost: { usage, offset: 1 },
};

/** What is booked, and how the meter is closed, when a question is given up. */
async function booked(
  given: { model?: string; maxCostMicroUsd?: number | null; isFirst?: boolean; events?: AgentEvent[] } = {},
) {
  const costs: number[] = [];
  const closed: { meter: string; reason: string | null }[] = [];
  const money = { capReached: false, capExceeded: false, maxCostReached: false, maxCostExceeded: false };
  const store = {
    openMeter: () => Promise.resolve(true),
    recordUsage: ({ costMicroUsd }: { costMicroUsd: number }) => {
      costs.push(costMicroUsd);
      return Promise.resolve({ ...money, spentMicroUsd: 0 });
    },
    closeMeter: (_: string, how: { meter: string; reason: string | null }) => {
      closed.push(how);
      return Promise.resolve();
    },
  };
  const { model = 'gpt-5-mini', maxCostMicroUsd = null, isFirst = true, events = [givenUp] } = given;
  const clock = { now: () => new Date('2026-11-23T00:00:00Z'), monotonicMs: () => 0 };
  const ctx = { store: { streams: store }, clock, catalog: loadCatalog() } as unknown as Parameters<
    typeof createMeter
  >[0];
  const options = { attemptId: 'a', model, isCommand: false, isFirst, maxCostMicroUsd };
  const meter = createMeter(ctx, { ...options, stopFor: () => undefined });
  await meter.begin();
  for (const event of events) meter.notice(event);
  for (const event of events) await meter.hear(event);
  await meter.close({ spawned: true });
  return { costs, meter: closed[0]?.meter };
}

test('a question that was given up is booked at what it can have cost, not at all that the task may', async () => {
  expect(await booked()).toEqual({ costs: [80_500], meter: 'measured' });
  expect(await booked({ maxCostMicroUsd: 100_000 })).toEqual({ costs: [80_500], meter: 'measured' });
});

test('where that is no less, cannot be priced or may not be the first, the attempt is booked at its bound', async () => {
  const atBound = { costs: [], meter: 'unknown' };
  expect(await booked({ maxCostMicroUsd: 80_000 })).toEqual(atBound);
  expect(await booked({ model: 'house-model' })).toEqual(atBound);
  expect(await booked({ isFirst: false })).toEqual(atBound);
});

test.each([
  [1, 'unknown'],
  [8_000, 'unknown'],
  [8_100, 'measured'],
  [80_500, 'measured'],
  [900_000, 'measured'],
])(
  'a cost that comes apart from its tokens counts from a tenth of their list price on: %i',
  async (told, meter) => {
    const cost = { ...usage, inputTokens: 0, outputTokens: 0, costMicroUsd: told, estimated: false };
    const events: AgentEvent[] = [
      { type: 'usage', usage: cost, offset: 0 },
      { type: 'usage', usage: { ...usage, costMicroUsd: 0, estimated: false }, offset: 1 },
    ];
    expect((await booked({ events })).meter).toBe(meter);
    expect((await booked({ events, model: 'house-model' })).meter).toBe('measured');
  },
);

test('reports that come while one is being booked are booked together, each once and priced by itself', async () => {
  const entries: { offset: number; costMicroUsd: number; usage: { outputTokens: number } }[] = [];
  const money = { capReached: false, capExceeded: false, maxCostReached: false, maxCostExceeded: false };
  const store = {
    recordUsage: (entry: (typeof entries)[number]) => {
      entries.push(entry);
      return Promise.resolve({ ...money, capReached: entry.offset === 999, spentMicroUsd: 0 });
    },
  };
  const clock = { now: () => new Date('2026-11-23T00:00:00Z'), monotonicMs: () => 0 };
  const ctx = { store: { streams: store }, clock, catalog: loadCatalog() } as unknown as Parameters<
    typeof createMeter
  >[0];
  const stops: string[] = [];
  const meter = createMeter(ctx, {
    ...{ attemptId: 'a', model: 'gpt-5-mini', isCommand: false, isFirst: true, maxCostMicroUsd: null },
    stopFor: (reason) => stops.push(reason),
  });
  const report = (offset: number, model: string | null): AgentEvent => ({
    type: 'usage',
    offset,
    usage: { ...usage, model, inputTokens: 0, outputTokens: 1_000 },
  });
  const reports = Array.from({ length: 1_000 }, (_, at) => report(at, at === 500 ? 'gpt-4o' : null));
  for (const each of reports) meter.notice(each);
  await meter.hear(report(999, null));
  expect(entries.map(({ offset }) => offset)).toEqual([499, 500, 999]);
  expect(entries.map(({ usage: { outputTokens } }) => outputTokens)).toEqual([500_000, 1_000, 499_000]);
  expect(entries.map(({ costMicroUsd }) => costMicroUsd)).toEqual([1_000_000, 10_000, 998_000]);
  expect(stops).toEqual(['budget']);
});
