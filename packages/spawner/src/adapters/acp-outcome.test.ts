import { expect, test } from 'vitest';
import { classifyResult, classifyRpcError, parseResetTime } from './acp-outcome.ts';
import { turnReader } from './acp-turn.ts';
import { noUsage, usageMeter } from './acp-usage.ts';

const now = new Date(Date.UTC(2026, 10, 21, 16, 30));

test.each([
  ["You've hit your 5-hour limit · resets Jan 1, 2030, 12am (UTC)", '2030-01-01T00:00:00.000Z'],
  ['resets Nov 22, 2026, 3:15pm (UTC)', '2026-11-22T15:15:00.000Z'],
  ['limit reached · resets 5pm (UTC)', '2026-11-21T17:00:00.000Z'],
  ['limit reached · resets 12pm (UTC)', '2026-11-22T12:00:00.000Z'],
  ['try again at Jan 1st, 2030 12:00 AM.', new Date(2030, 0, 1).toISOString()],
  ['try again later', null],
  ['resets Foo 1, 2030, 12am (UTC)', null],
])('the time in "%s" is %s', (text, expected) => {
  expect(parseResetTime(text, now)).toBe(expected);
});

const { seen } = turnReader({
  onToolDone: () => undefined,
  usage: () =>
    usageMeter(
      { ...noUsage },
      {
        source: () => 'prompt',
        said: () => null,
        model: () => null,
      },
    ),
});

test.each([
  ['max_tokens', 'max_output_tokens'],
  ['max_turn_requests', 'max_turns'],
  ['refusal', undefined],
])('a turn that stopped by %s failed by %s', (stopReason, transitionReason) => {
  const outcome = classifyResult({ stopReason }, { seen, now });
  expect([outcome.outcome, outcome.transitionReason]).toEqual(['failed', transitionReason]);
});

test.each([
  [413, 'provider_413'],
  [529, 'provider_529'],
  [500, undefined],
])('an error %i of the provider is %s', (code, transitionReason) => {
  const outcome = classifyRpcError({ code, message: 'no' }, now);
  expect(outcome).toMatchObject({ outcome: 'failed', abortReason: 'provider_error' });
  expect(outcome.transitionReason).toBe(transitionReason);
});
