import { expect, test } from 'vitest';
import type { AgentEvent } from '@baton/contracts';
import type { UsageSource } from '../../agent/acp-agents.ts';
import { promptResult } from './messages.ts';
import { noUsage, usageMeter, type UsageTotals } from './usage.ts';

const meterOf = (source: UsageSource = 'prompt', totals: UsageTotals = noUsage()) =>
  usageMeter(totals, { source: () => source, said: () => null, model: () => 'm' });

const usd = (amount: unknown, currency: unknown = 'USD') => ({ amount, currency });
const answer = (result: object = {}) => promptResult.parse({ stopReason: 'end_turn', ...result });
const costs = (events: AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'usage' ? [event.usage.costMicroUsd] : []));
const faults = (events: AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'unmeasured' ? [event.reason] : []));

test('a running total is reported as differences, each under a place of its own; a repeated total counts once', () => {
  const meter = meterOf();
  const told = [0.6, 1.2, 1.2, 1.8].flatMap((total) => meter.cost(usd(total)));
  expect(costs(told)).toEqual([600_000, 600_000, 600_000]);
  expect(told.map((event) => event.type === 'usage' && event.offset)).toEqual([0, 1, 2]);
  expect(meter.end({ result: answer(), answered: true, refused: false })).toEqual([]);
});

test('the total continues from prompt to prompt of one session, the places do not', () => {
  const totals = noUsage();
  meterOf('prompt', totals).cost(usd(1));
  expect(meterOf('prompt', totals).cost(usd(1.25))).toMatchObject([
    { offset: 0, usage: { costMicroUsd: 250_000 } },
  ]);
});

test('a total that decreases was restarted: what it then shows is spent on top, and it is not measured', () => {
  const meter = meterOf();
  meter.cost(usd(2));
  const down = meter.cost(usd(0.5));
  expect(faults(down)).toEqual(['The total cost that it reports went down.']);
  expect(costs(down)).toEqual([500_000]);
  expect(costs([...meter.cost(usd(1)), ...meter.cost(usd(0)), ...meter.cost(usd(1))])).toEqual([
    ...[500_000, 1_000_000],
  ]);
});

test('each session of a process has a total of its own', () => {
  const totals = noUsage();
  const meter = meterOf('prompt', totals);
  const told = [1, 2, 3].flatMap((n) => [...meter.cost(usd(n)), ...meter.cost(usd(n / 2), 'sub')]);
  expect(costs(told)).toEqual([1_000_000, 500_000, 1_000_000, 500_000, 1_000_000, 500_000]);
  expect(faults(told)).toEqual([]);
  expect(costs(meterOf('prompt', totals).cost(usd(2), 'sub'))).toEqual([500_000]);
});

test.each([
  ['NaN, which JSON turns into null', usd(null)],
  ['Infinity', usd(Number('1e999'))],
  ['-Infinity', usd(-Infinity)],
  ['a negative amount', usd(-5)],
  ['an absurd amount', usd(1_000_001)],
  ['text', usd('1.50')],
  ['no amount', { currency: 'USD' }],
  ['no object', 3],
  ['euros', usd(1, 'EUR')],
  ['yen, which it writes small', usd(100, 'jpy')],
  ['a currency that is no text', usd(1, 7)],
])('%s is not measured, said once, and never counts as nothing', (_what, cost) => {
  const meter = meterOf();
  const events = [...meter.cost(cost), ...meter.cost(cost)];
  expect(costs(events)).toEqual([]);
  expect(faults(events)).toHaveLength(1);
  expect(meter.end({ result: answer(), answered: true, refused: false })).toEqual([]);
});

test('dollars in small letters or without a name are dollars, and an update without a cost says nothing', () => {
  const meter = meterOf();
  expect(costs([...meter.cost(usd(1, 'usd')), ...meter.cost({ amount: 1.5 })])).toEqual([1_000_000, 500_000]);
  expect([...meter.cost(undefined), ...meter.cost(null)]).toEqual([]);
});

test.each([
  ['a negative count', { inputTokens: -1, outputTokens: 5 }],
  ['a part of a token', { inputTokens: 1.5, outputTokens: 5 }],
  ['more than anybody has', { inputTokens: 1e15, outputTokens: 5 }],
  ['text', { inputTokens: '100', outputTokens: 5 }],
  ['a list', [1, 2]],
])('tokens as %s are not measured', (_what, usage) => {
  const events = meterOf().end({ result: answer({ usage }), answered: true, refused: false });
  expect(costs(events)).toEqual([]);
  expect(faults(events)).toEqual(['It reported an impossible number of tokens.']);
});

test.each([
  ['no input', { inputTokens: null, outputTokens: 5 }],
  ['no word of the input', { outputTokens: 5 }],
  ['no output', { inputTokens: 5, outputTokens: null }],
  ['nothing but what was cached', { cachedReadTokens: 5 }],
])('tokens with %s are not measured: what is missing does not count as none', (_what, usage) => {
  const over = { result: answer({ usage }), answered: true, refused: false };
  for (const source of ['prompt', 'process_total'] as const) {
    const events = meterOf(source).end(over);
    expect(events).toEqual([{ type: 'unmeasured', reason: 'It reported only a part of its tokens.' }]);
  }
  const calls = meterOf('chunks');
  expect(faults(calls.call(usage))).toHaveLength(1);
  const known = meterOf();
  expect(costs(known.cost(usd(1)))).toEqual([1_000_000]);
  expect(known.end(over), 'its cost says all that it spent').toEqual([]);
});

test('a quota that names one kind of tokens alone is not measured', () => {
  const quota = { token_count: { output_tokens: 7 } };
  const events = meterOf('quota').end({
    ...{ result: answer({ _meta: { quota } }), answered: true, refused: false },
  });
  expect(faults(events)).toEqual(['It reported only a part of its tokens.']);
});

test('an agent that works and reports nothing is not measured; one that its provider turned away spent nothing', () => {
  expect(faults(meterOf().end({ result: answer(), answered: true, refused: false }))).toEqual([
    'It reported no spending.',
  ]);
  const none = { inputTokens: 0, outputTokens: 0 };
  expect(
    faults(meterOf().end({ result: answer({ usage: none }), answered: true, refused: false })),
  ).toHaveLength(1);
  expect(meterOf().end({ result: null, answered: true, refused: true })).toEqual([]);
});

test('an agent that dies before its answer is not measured, whatever it told until then', () => {
  const meter = meterOf();
  meter.cost(usd(1));
  expect(faults(meter.end({ result: null, answered: false, refused: false }))).toEqual([
    'It ended before it reported all that it spent.',
  ]);
});

test('a cost of zero is not believed where tokens say otherwise', () => {
  const meter = meterOf();
  meter.cost(usd(0));
  const usage = { inputTokens: 1_000, outputTokens: 10 };
  expect(meter.end({ result: answer({ usage }), answered: true, refused: false })).toMatchObject([
    { type: 'usage', usage: { inputTokens: 1_000, costMicroUsd: null, estimated: true } },
  ]);
  const last = meterOf('cost_only');
  last.cost(usd(0));
  expect(faults(last.end({ result: answer({ usage }), answered: true, refused: false }))).toHaveLength(1);
});

test('where the agent reports a cost, tokens bring none of their own', () => {
  const meter = meterOf();
  meter.cost(usd(1));
  const usage = { inputTokens: 1_000, outputTokens: 10 };
  expect(costs(meter.end({ result: answer({ usage }), answered: true, refused: false }))).toEqual([0]);
});

test('usage of single calls is passed on at once, without cached input', () => {
  const call = { inputTokens: 100, outputTokens: 7, cachedReadTokens: 60 };
  expect(meterOf('chunks').call(call)).toMatchObject([
    { type: 'usage', usage: { inputTokens: 40, cacheReadTokens: 60, outputTokens: 7, costMicroUsd: null } },
  ]);
  expect(meterOf('prompt').call(call)).toEqual([]);
});

test('running totals of tokens become differences; ones that decrease were restarted and are not measured', () => {
  const totals = noUsage();
  const prompt = (usage: object) =>
    meterOf('process_total', totals).end({ result: answer({ usage }), answered: true, refused: false });
  prompt({ inputTokens: 100, outputTokens: 10, cachedReadTokens: 20 });
  expect(prompt({ inputTokens: 150, outputTokens: 30, cachedReadTokens: 40 })).toMatchObject([
    { usage: { inputTokens: 30, outputTokens: 20, cacheReadTokens: 20 } },
  ]);
  const down = prompt({ inputTokens: 10, outputTokens: 1 });
  expect(faults(down)).toEqual(['The total tokens that it reports went down.']);
  expect(down).toMatchObject([{}, { usage: { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0 } }]);
  expect(prompt({ inputTokens: 15, outputTokens: 1, cachedReadTokens: 5 })).toMatchObject([
    { usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 5 } },
  ]);
  const partly = prompt({ inputTokens: 25, outputTokens: 1 });
  expect(faults(partly)).toHaveLength(1);
  expect(partly).toMatchObject([{}, { usage: { inputTokens: 10, outputTokens: 0, cacheReadTokens: 0 } }]);
});
