import { BatonError } from '@baton/contracts';
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { receiveWebhook, signWebhook } from './webhook.ts';

const now = new Date('2026-11-21T12:00:00Z');
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const newSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const body = JSON.stringify({ type: 'deploy.failed', sender: 'ci', branch: 'main' });

const signed = (change: { secret?: string; id?: string; at?: Date; body?: string } = {}) => ({
  headers: signWebhook(change.body ?? body, { secret, id: 'msg_1', at: now, ...change }),
  body: change.body ?? body,
});

function refusal(act: () => unknown): BatonError {
  try {
    act();
  } catch (error) {
    if (BatonError.is(error)) return error;
    throw error;
  }
  throw new Error('the request was let in');
}

test('a signed request becomes an event that is not trusted', () => {
  expect(receiveWebhook(signed(), { secrets: [secret], now })).toEqual({
    source: 'webhook',
    deliveryId: 'msg_1',
    kind: 'deploy.failed',
    receivedAt: '2026-11-21T12:00:00.000Z',
    sender: 'ci',
    trusted: false,
    data: { type: 'deploy.failed', sender: 'ci', branch: 'main' },
  });
});

test('the signature is that of Standard Webhooks: the library of the standard makes the same', () => {
  const reference = new Webhook(secret).sign('msg_1', now, body);
  expect(signed().headers['webhook-signature']).toBe(reference);
});

test('bytes and any spelling of the headers will do', () => {
  const { headers } = signed();
  const shouted = Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [key.toUpperCase(), value]),
  );
  const request = { headers: shouted, body: new TextEncoder().encode(body) };
  expect(receiveWebhook(request, { secrets: [secret], now }).deliveryId).toBe('msg_1');
});

const signature = (bytes: Uint8Array) =>
  `v1,${createHmac('sha256', Buffer.alloc(32, 7))
    .update(`msg_1.${now.getTime() / 1000}.`)
    .update(bytes)
    .digest('base64')}`;
const latin = Buffer.from('{"type":"deploy.failed","who":"Zo\xeb"}', 'latin1');
const marked = Buffer.from(`\uFEFF${body}`);

test('the signature covers the bytes: one of other bytes that decode to the same text is refused', () => {
  const replaced = Buffer.from(new TextDecoder().decode(latin));
  for (const [sent, other] of [
    [latin, replaced],
    [replaced, latin],
    [marked, Buffer.from(body)],
    [Buffer.from(body), marked],
  ] as const) {
    const headers = { ...signed().headers, 'webhook-signature': signature(other) };
    expect(refusal(() => receiveWebhook({ headers, body: sent }, { secrets: [secret], now })).code).toBe(
      'SIGNATURE_INVALID',
    );
  }
});

test('a signed body that is not UTF-8 is refused as that, one with a byte order mark is let in', () => {
  const of = (bytes: Buffer) => ({
    headers: { ...signed().headers, 'webhook-signature': signature(bytes) },
    body: bytes,
  });
  expect(refusal(() => receiveWebhook(of(latin), { secrets: [secret], now }))).toMatchObject({
    code: 'INVALID_INPUT',
    message: 'The body of the webhook is not UTF-8.',
  });
  expect(receiveWebhook(of(marked), { secrets: [secret], now })).toMatchObject({
    kind: 'deploy.failed',
    data: { type: 'deploy.failed', sender: 'ci', branch: 'main' },
  });
});

test('while the secret is changed both the old and the new one hold, later only the new one', () => {
  const both = [newSecret, secret];
  expect(receiveWebhook(signed(), { secrets: both, now }).deliveryId).toBe('msg_1');
  expect(receiveWebhook(signed({ secret: newSecret }), { secrets: both, now }).deliveryId).toBe('msg_1');
  expect(refusal(() => receiveWebhook(signed(), { secrets: [newSecret], now })).code).toBe(
    'SIGNATURE_INVALID',
  );
});

test('a sender that signs with both of its secrets is let in', () => {
  const { headers } = signed();
  const two = { ...headers, 'webhook-signature': `v1,AAAA v1a,xyz ${headers['webhook-signature']}` };
  expect(receiveWebhook({ headers: two, body }, { secrets: [secret], now }).deliveryId).toBe('msg_1');
});

test('without a secret every request is refused', () => {
  expect(refusal(() => receiveWebhook(signed(), { secrets: [], now })).code).toBe('SECRET_MISSING');
});

test.each(['', 'hunter2', 'whsec_', 'whsec_c2hvcnQ=', 'whsec_!!!!'])(
  'the secret %j is refused untold',
  (bad) => {
    const error = refusal(() => receiveWebhook(signed(), { secrets: [bad], now }));
    expect(error.code).toBe('CONFIG_INVALID');
    if (bad !== '' && bad !== 'whsec_') expect(error.message).not.toContain(bad);
  },
);

test('three live secrets are one too many', () => {
  expect(refusal(() => receiveWebhook(signed(), { secrets: [secret, secret, secret], now })).code).toBe(
    'CONFIG_INVALID',
  );
});

test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
  'a request without %s is refused',
  (name) => {
    const { headers } = signed();
    const rest = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
    const error = refusal(() => receiveWebhook({ headers: rest, body }, { secrets: [secret], now }));
    expect(error).toMatchObject({ code: 'SIGNATURE_INVALID', message: expect.stringContaining(name) });
  },
);

test.each([
  ['another body', { body: `${body} ` }],
  ['another id', { headers: { 'webhook-id': 'msg_2' } }],
  ['another time', { headers: { 'webhook-timestamp': String(now.getTime() / 1000 - 1) } }],
  ['an empty signature', { headers: { 'webhook-signature': 'v1,' } }],
  ['another version', { headers: { 'webhook-signature': 'v2,abc' } }],
  ['a header twice', { headers: { 'webhook-id': ['msg_1', 'msg_1'] } }],
  ['a time that is no number', { headers: { 'webhook-timestamp': '1e9' } }],
])('a request changed to %s is refused', (_, change: { body?: string; headers?: object }) => {
  const request = signed();
  const changed = { body: change.body ?? request.body, headers: { ...request.headers, ...change.headers } };
  expect(refusal(() => receiveWebhook(changed, { secrets: [secret], now })).code).toBe('SIGNATURE_INVALID');
});

test.each([300_001, -301_000])('a request that is %d ms old is refused', (ageMs) => {
  const at = new Date(now.getTime() - ageMs);
  expect(refusal(() => receiveWebhook(signed({ at }), { secrets: [secret], now })).code).toBe(
    'SIGNATURE_INVALID',
  );
});

test('a request that is just young enough is let in', () => {
  const at = new Date(now.getTime() - 300_000);
  expect(receiveWebhook(signed({ at }), { secrets: [secret], now }).deliveryId).toBe('msg_1');
});

test.each(['', 'x', '[1]', 'null', '"x"'])('a signed body that is no JSON object is refused: %j', (text) => {
  expect(refusal(() => receiveWebhook(signed({ body: text }), { secrets: [secret], now })).code).toBe(
    'INVALID_INPUT',
  );
});

test('odd types and senders become the defaults, and a cause of ours is read', () => {
  const odd = JSON.stringify({ type: 'a b\n', sender: 7, baton: { run_id: 'r1', depth: 2 } });
  expect(receiveWebhook(signed({ body: odd }), { secrets: [secret], now })).toMatchObject({
    kind: 'webhook',
    sender: null,
    causedBy: { runId: 'r1', depth: 2 },
  });
});

test('a body that is nested deeper than anything that is sent is refused, whatever brackets its texts hold', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  for (const depth of [200, 200_000]) {
    const request = signed({ body: nested(depth) });
    expect(refusal(() => receiveWebhook(request, { secrets: [secret], now })).code).toBe('INVALID_INPUT');
  }
  const text = JSON.stringify({ text: `${'['.repeat(5_000)}\\"{`, list: [[[[]]]] });
  expect(receiveWebhook(signed({ body: text }), { secrets: [secret], now }).data).toMatchObject({
    list: [[[[]]]],
  });
});

test.each<[string, string | number]>([
  ['12345678901234567890', '12345678901234567890'],
  ['9007199254740993', '9007199254740993'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['0.12345678901234567890', '0.12345678901234567890'],
  ['1e400', '1e400'],
  ['1e-400', '1e-400'],
  ['9007199254740991', 9007199254740991],
  ['1.50', 1.5],
  ['1e3', 1000],
  ['0e5', 0],
])('a number that would become another stays the text that came: %s', (sent, kept) => {
  const request = signed({ body: `{"a":[{"n":${sent}}],"12345678901234567890":true}` });
  const { data } = receiveWebhook(request, { secrets: [secret], now });
  expect(data).toEqual({ a: [{ n: kept }], '12345678901234567890': true });
});

test('a valid signature counts at any place, also where its header came several times', () => {
  const { headers, body: text } = signed();
  const valid = headers['webhook-signature'] ?? '';
  for (const signature of [`${valid}, v1,AAAA`, `v1,AAAA, ${valid}`, `v1a,AAAA\t${valid} v1,AAAA`])
    receiveWebhook(
      { headers: { ...headers, 'webhook-signature': signature }, body: text },
      { secrets: [secret], now },
    );
});

test.each<[string, Record<string, string>, string]>([
  ['milliseconds', { 'webhook-timestamp': String(now.getTime()) }, 'not milliseconds'],
  ['an id that came twice', { 'webhook-id': 'msg_1, msg_2' }, 'sent once'],
  ['a clock that is wrong', { 'webhook-timestamp': '1500000000' }, '2026-11-21T12:00:00.000Z, the time here'],
  ['base64 for addresses', { 'webhook-signature': 'v1,a-b_' }, 'with "+" and "/"'],
])('a refusal of %s says what is wrong', (_, change, words) => {
  const { headers, body: text } = signed();
  const act = () =>
    receiveWebhook({ headers: { ...headers, ...change }, body: text }, { secrets: [secret], now });
  expect(refusal(act).message).toContain(words);
});

test.each([
  { run_id: 'r1', depth: '5' },
  { run_id: 'r1', depth: 1001 },
  { run_id: 'r1', depth: 0 },
  { run_id: 'r1', depth: 1.5 },
  { run_id: '', depth: 1 },
  { run_id: 'r1', depth: 1, more: true },
  { depth: 1 },
  'r1',
  [],
  null,
])('a cause that cannot be read is refused, and does not count as none: %j', (baton) => {
  const request = signed({ body: JSON.stringify({ type: 'x', baton }) });
  expect(refusal(() => receiveWebhook(request, { secrets: [secret], now }))).toMatchObject({
    code: 'INVALID_INPUT',
    at: expect.stringMatching(/^baton/) as string,
  });
});
