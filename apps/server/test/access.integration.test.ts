import { request } from 'node:http';
import { TRPCClientError } from '@trpc/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBatonClient } from '../src/client.ts';
import type { RunningServer } from '../src/compose.ts';
import { nowhere, twoSteps } from './plans.ts';
import { createBench, type Bench } from './support.ts';

let bench: Bench;
let server: RunningServer;

beforeAll(async () => {
  bench = await createBench();
  server = await bench.serve();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** fetch may not set Host: a plain request may. */
function get(path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request(`${server.url}${path}`, { headers }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    call.on('error', reject);
    call.end();
  });
}

async function refusal(
  call: Promise<unknown>,
): Promise<{ http: number | undefined; code: string | undefined; message: string }> {
  const error = await call.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!(error instanceof TRPCClientError)) throw new Error('not refused', { cause: error });
  return { http: error.data?.httpStatus, code: error.data?.baton?.code, message: error.message };
}

test('without a key, or with one that was never made, nothing is answered', async () => {
  for (const key of ['', 'baton_wrong']) {
    const client = createBatonClient({ url: server.url, key });
    expect(await refusal(client.status.overview.query())).toMatchObject({
      http: 401,
      code: 'UNAUTHENTICATED',
    });
    expect(await refusal(client.runs.pause.mutate({ run: 'x', reason: 'x' }))).toMatchObject({ http: 401 });
  }
});

test('a key of too little scope is refused by the name of the scope it lacks', async () => {
  const viewer = await bench.client(server, 'viewer');
  expect(await viewer.auth.whoami.query()).toEqual({ name: 'test-viewer', scopes: ['viewer'] });
  expect(await refusal(viewer.runs.cancel.mutate({ run: 'x', reason: 'x' }))).toMatchObject({
    http: 403,
    code: 'FORBIDDEN',
    message: expect.stringContaining('operator') as string,
  });
  const operator = await bench.client(server, 'operator');
  expect(await refusal(operator.auth.listKeys.query())).toMatchObject({ http: 403, code: 'FORBIDDEN' });
  const worker = await bench.client(server, 'worker', 'trigger');
  expect(await refusal(worker.status.overview.query())).toMatchObject({ http: 403, code: 'FORBIDDEN' });
});

test('a key can be made by an admin, used, and revoked: then it is refused at once', async () => {
  const admin = await bench.client(server, 'admin');
  const { key } = await admin.auth.createKey.mutate({ name: 'ci', scopes: ['viewer'] });
  const ci = createBatonClient({ url: server.url, key });
  expect(await ci.auth.whoami.query()).toEqual({ name: 'ci', scopes: ['viewer'] });
  const listed = await admin.auth.listKeys.query();
  expect(JSON.stringify(listed)).not.toContain(key);
  const id = listed.find(({ name }) => name === 'ci')?.id ?? '';
  await admin.auth.revokeKey.mutate({ keyId: id });
  expect(await refusal(ci.auth.whoami.query())).toMatchObject({ http: 401, code: 'UNAUTHENTICATED' });
});

test.each(['/healthz', '/readyz', '/metrics', '/trpc/status.overview', '/no/such/page'])(
  'a foreign Host or Origin is refused for %s',
  async (path) => {
    const authorization = `Bearer ${await bench.key('admin')}`;
    for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }]) {
      const { status, body } = await get(path, { ...headers, authorization });
      expect([status, body]).toEqual([403, expect.stringContaining('FORBIDDEN')]);
    }
  },
);

test('no mutation is carried out by GET', async () => {
  const operator = await bench.client(server, 'operator');
  const { run } = await operator.plans.submit.mutate({ plan: twoSteps(), repo: nowhere });
  const authorization = `Bearer ${await bench.key('admin')}`;
  const input = encodeURIComponent(JSON.stringify({ run: run.id, reason: 'by GET' }));
  const { status } = await get(`/trpc/runs.pause?input=${input}`, { authorization });
  expect(status).toBe(405);
  expect((await bench.store.runs.get(run.id))?.status).not.toBe('paused');
});

test('an unknown key of an input is refused by its name and path', async () => {
  const authorization = `Bearer ${await bench.key('operator')}`;
  const post = (path: string, input: unknown) =>
    fetch(`${server.url}/trpc/${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
  const response = await post('runs.pause', { run: 'x', reason: 'x', forse: true });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('unknown key \\"forse\\"');
  const plan = { ...twoSteps(), buget: 1 };
  const nested = await post('plans.submit', { plan, repo: nowhere });
  expect(nested.status).toBe(400);
  expect(await nested.json()).toMatchObject({
    error: {
      data: {
        baton: {
          code: 'INVALID_INPUT',
          issues: [{ path: ['plan', 'buget'], message: 'unknown key "buget"' }],
        },
      },
    },
  });
});

test('errors carry code, status and way out, and never a stack', async () => {
  const viewer = await bench.client(server, 'viewer');
  const error = await viewer.runs.get.query({ run: 'no-such-run' }).then(
    () => null,
    (cause: unknown) => cause,
  );
  expect(error).toMatchObject({ data: { httpStatus: 404, baton: { code: 'NOT_FOUND', retryable: false } } });
  expect(JSON.stringify(error)).not.toContain('.ts:');
});

test('a body that is too large is refused, and so is one that is no JSON', async () => {
  const headers = {
    authorization: `Bearer ${await bench.key('operator')}`,
    'content-type': 'application/json',
  };
  const large = await fetch(`${server.url}/trpc/runs.pause`, {
    method: 'POST',
    headers,
    body: 'x'.repeat(1024 * 1024 + 1),
  });
  expect([large.status, await large.text()]).toEqual([413, expect.stringContaining('PAYLOAD_TOO_LARGE')]);
  const broken = await fetch(`${server.url}/trpc/runs.pause`, { method: 'POST', headers, body: '{' });
  expect(broken.status).toBe(400);
});

test('health is open without detail, metrics are open on loopback only', async () => {
  expect(await get('/healthz')).toEqual({ status: 200, body: '{"ok":true}' });
  expect(await get('/readyz')).toEqual({ status: 200, body: '{"ok":true}' });
  expect((await get('/metrics')).status).toBe(200);
  const proxied = await bench.serve({ allowedHosts: ['baton.example.com'] });
  const metrics = (headers: Record<string, string>) => fetch(`${proxied.url}/metrics`, { headers });
  expect((await metrics({})).status).toBe(401);
  expect((await metrics({ authorization: `Bearer ${await bench.key('worker')}` })).status).toBe(403);
  expect((await metrics({ authorization: `Bearer ${await bench.key('viewer')}` })).status).toBe(200);
  await proxied.close();
});

test('a stranger who floods is slowed down; a client with a key is not', async () => {
  const flooded = await bench.serve();
  const statuses = new Set<number>();
  for (let round = 0; round < 40 && !statuses.has(429); round += 1) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${flooded.url}/healthz`)));
    for (const answer of answers) statuses.add(answer.status);
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  }
  expect([...statuses].sort()).toEqual([200, 429]);
  const refused = await fetch(`${flooded.url}/healthz`);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.any(String)]);
  const viewer = await bench.client(flooded, 'viewer');
  expect(await viewer.auth.whoami.query()).toMatchObject({ scopes: ['viewer'] });
  await flooded.close();
});

test.each([
  ['/trpc/', ',', 'batch=1'],
  ['/trpc/', '%2c', 'b%61tch=%31'],
  ['/%74rpc/', ',', 'batch=1'],
])('a batch counts as the calls in it, in any spelling: %s %s %s', async (prefix, comma, batch) => {
  const flooded = await bench.serve();
  const calls = Array.from({ length: 50 }, () => 'auth.whoami').join(comma);
  const statuses: number[] = [];
  for (let round = 0; round < 20 && !statuses.includes(429); round += 1) {
    const answer = await fetch(`${flooded.url}${prefix}${calls}?${batch}&input=${encodeURIComponent('{}')}`);
    await answer.arrayBuffer();
    statuses.push(answer.status);
  }
  expect(statuses.at(-1)).toBe(429);
  expect(statuses.length).toBeLessThan(15);
  await flooded.close();
});

test('a port in use is an error with a fix, and nothing is left open', async () => {
  const port = Number(new URL(server.url).port);
  await expect(bench.serve({ port })).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    fix: expect.stringContaining('BATON_PORT') as string,
  });
  expect((await get('/healthz')).status).toBe(200);
});
