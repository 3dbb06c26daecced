import { expect, test } from 'vitest';
import { classifyResult, classifyRpcError, inWords, parseResetTime } from './outcome.ts';
import { turnReader } from './turn.ts';
import { noUsage, usageMeter } from './usage.ts';

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
    usageMeter(noUsage(), {
      source: () => 'prompt',
      said: () => null,
      model: () => null,
    }),
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
  [413, 'failed', 'provider_413'],
  [400, 'failed', undefined],
  [529, 'provider_down', 'provider_529'],
  [500, 'provider_down', undefined],
  [503, 'provider_down', undefined],
])('an error %i of the provider means %s', (code, expected, transitionReason) => {
  const outcome = classifyRpcError({ code, message: 'no' }, now);
  expect(outcome).toMatchObject({ outcome: expected, abortReason: 'provider_error' });
  expect(outcome.transitionReason).toBe(transitionReason);
});

test.each([
  [{ errorKind: 'rate_limit' }, 'rate_limited'],
  [{ errorKind: 'server_error' }, 'provider_down'],
  [{ errorKind: 'overloaded' }, 'provider_down'],
  [{ errorKind: 'authentication_failed' }, 'not_logged_in'],
  [{ errorKind: 'billing_error' }, 'not_logged_in'],
  [{ errorKind: 'model_not_found' }, 'model_unknown'],
  [{ errorKind: 'invalid_request' }, 'failed'],
  [{ service: 'session', errorName: 'APIError' }, 'failed'],
  [{ service: 'session', errorName: 'MessageAbortedError' }, 'failed'],
])('an internal error with %j means %s', (data, expected) => {
  expect(classifyRpcError({ code: -32603, message: 'no', data }, now).outcome).toBe(expected);
});

test.each([
  ['invalid api key', 'not_logged_in'],
  ['invalid x-api-key', 'not_logged_in'],
  ['Incorrect API key provided: sk-1', 'not_logged_in'],
  ['No auth credentials found', 'not_logged_in'],
  ['Unauthorized', 'not_logged_in'],
  ['Rate limit reached for requests', 'rate_limited'],
  ['You exceeded your current quota, please check your plan', 'rate_limited'],
  ['Too Many Requests', 'rate_limited'],
  ['Overloaded', 'provider_down'],
  ['Internal server error', 'provider_down'],
  ['502 Bad Gateway', 'provider_down'],
  ['Unable to connect. Is the computer able to access the url?', 'provider_down'],
  ['prompt is too long: 210000 tokens > 200000 maximum', 'failed'],
  ['no', 'failed'],
])('of an error of OpenCode only the words are left: %j means %s', (said, expected) => {
  const error = { code: -32603, message: `Internal error: ${said}`, data: { errorName: 'APIError' } };
  expect(classifyRpcError(error, now)).toMatchObject({
    outcome: expected,
    summary: expect.stringContaining(said) as string,
  });
});

test.each([
  ['limit', 'rate_limited'],
  ['access', 'not_logged_in'],
  ['service', 'provider_down'],
  ['connection', 'provider_down'],
  ['request', 'failed'],
])('a failure of the session of the category %s means %s', (category, expected) => {
  const sessionFailure = { category, severity: 'error', title: 'it failed' };
  const result = { stopReason: 'end_turn', _meta: { jetbrains: { air: { sessionFailure } } } };
  expect(classifyResult(result, { seen, now }).outcome).toBe(expected);
});

test.each([
  ['{"error":{"code":401,"message":"Invalid API key","status":"UNAUTHENTICATED"}}', 'Invalid API key'],
  ['unexpected status 401: {"error":{"message":"No key"}}', 'unexpected status 401: No key'],
  [
    '{"error":{"message":"{\\n \\"error\\": {\\"message\\": \\"API key not valid.\\"}}"}}',
    'API key not valid.',
  ],
  ['{"detail": 7}', '{"detail": 7}'],
  ['not {json}', 'not {json}'],
])('only the message of a provider answer is kept: %s', (said, expected) => {
  expect(inWords(said)).toBe(expected);
});
