import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '@baton/testkit';
import type { RunningServer } from '../src/compose.ts';
import { createBench, type Bench } from './support.ts';

let bench: Bench;
let server: RunningServer;
let key: string;
beforeAll(async () => {
  bench = await createBench();
  server = await bench.serve({}, { requestMs: 400 });
  key = await bench.key('operator', 'viewer');
});
afterAll(() => bench[Symbol.asyncDispose]());

/** A client that writes bytes as they are; what came back, and whether the server closed the connection. */
function open(...parts: readonly (string | Buffer)[]) {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  const seen = { text: '', closed: false };
  socket.on('data', (chunk: Buffer) => (seen.text += chunk.toString()));
  socket.on('error', () => undefined);
  socket.on('close', () => (seen.closed = true));
  for (const part of parts) socket.write(part);
  return { seen, write: (text: string) => socket.write(text), end: () => socket.destroy() };
}

const host = () => new URL(server.url).host;
const head = (path: string, ...lines: string[]) =>
  [`POST ${path} HTTP/1.1`, `Host: ${host()}`, `Authorization: Bearer ${key}`, ...lines, '', ''].join('\r\n');
const json = 'Content-Type: application/json';

/** Waits until the server has closed the connection; what it answered before. */
async function answerOf({ seen }: ReturnType<typeof open>): Promise<{ status: number; error: unknown }> {
  await until(() => seen.closed || undefined, { what: 'the server closes the connection' });
  const [top = '', body = ''] = seen.text.split('\r\n\r\n');
  return { status: Number(top.split(' ')[1]), error: (JSON.parse(body) as { error: unknown }).error };
}

test('text in bytes that are no UTF-8 is refused, and nothing is stored in its place', async () => {
  const name = 'caf\u00e9';
  const text = JSON.stringify({ name, scopes: ['viewer'] });
  const headers = { authorization: `Bearer ${await bench.key('admin')}`, 'content-type': 'application/json' };
  const send = (body: Buffer) =>
    fetch(`${server.url}/trpc/auth.createKey`, { method: 'POST', headers, body: new Uint8Array(body) });
  const names = async () => (await bench.store.keys.list()).map((each) => each.name);
  const before = await names();
  const refused = await send(Buffer.from(text, 'latin1'));
  expect([refused.status, await refused.json()]).toEqual([
    400,
    {
      error: expect.objectContaining({
        code: 'INVALID_INPUT',
        fix: expect.stringContaining('UTF-8') as string,
      }) as unknown,
    },
  ]);
  expect(await names()).toEqual(before);
  expect((await send(Buffer.from(text))).status).toBe(200);
  expect(await names()).toContain(name);
});

test.each([
  ['a body', () => [head('/trpc/runs.list', json, 'Content-Length: 100'), '{']],
  ['the body of a webhook', () => [head('/webhooks/webhook', json, 'Content-Length: 100'), '{']],
  ['a body in chunks', () => [head('/trpc/runs.list', json, 'Transfer-Encoding: chunked'), '1\r\n{\r\n']],
  ['a header', () => ['POST /trpc/runs.list HTTP/1.1\r\n']],
])('%s that never ends is cut off, with the reason', async (_what, parts) => {
  const client = open(...parts());
  expect(await answerOf(client)).toEqual({
    status: 408,
    error: expect.objectContaining({ code: 'REQUEST_TIMEOUT', retryable: true }) as unknown,
  });
});

test('a body that comes a byte at a time is cut off, too, and a live feed is not', async () => {
  const feed = open(
    `GET /trpc/events.feed HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  const slow = open(head('/trpc/runs.list', json, 'Content-Length: 1000'));
  const drip = setInterval(() => slow.write(' '), 20);
  expect(await answerOf(slow)).toMatchObject({ status: 408 });
  clearInterval(drip);
  expect(feed.seen).toMatchObject({
    closed: false,
    text: expect.stringContaining('text/event-stream') as string,
  });
  feed.end();
});

test.each([
  ['headers that are too large', () => head('/trpc/runs.list', `X: ${'a'.repeat(20_000)}`), 431, 'cookies'],
  ['what is no HTTP', () => '\u0016\u0003\u0001\r\n\r\n', 400, 'http://'],
  [
    'a length beside chunks',
    () => head('/trpc/runs.list', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
    400,
    'HTTP/1.1',
  ],
])('%s is refused with a code and the way out', async (_what, text, status, fix) => {
  expect(await answerOf(open(text()))).toEqual({
    status,
    error: expect.objectContaining({
      code: 'INVALID_INPUT',
      fix: expect.stringContaining(fix) as string,
    }) as unknown,
  });
});
