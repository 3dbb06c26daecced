import { request } from 'node:http';
import { z } from 'zod';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { signWebhook } from '@baton/triggers';
import type { RunningServer } from '../src/compose.ts';
import { appRouter } from '../src/routers/router.ts';
import { systemClock } from '@baton/service/system';
import { badInputs } from './bad-inputs.ts';
import { nowhere, twoSteps } from './plans.ts';
import { createBench, keptLog, type Bench } from './support.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const kept = keptLog();
let bench: Bench;
let server: RunningServer;
let admin: string;

beforeAll(async () => {
  bench = await createBench();
  server = await bench.serve({ webhookSecrets: [secret] }, { log: kept.log });
});
// One of its own for each test: a key has so many calls a minute.
beforeEach(async () => {
  admin = await bench.key('admin');
});
afterAll(() => bench[Symbol.asyncDispose]());

interface Procedure {
  _def: { type: 'query' | 'mutation' | 'subscription'; inputs: z.ZodType[] };
}
interface Answer {
  error?: { message: string; data: { httpStatus: number; stack?: unknown; baton: { code: string } | null } };
}

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>);

async function post(path: string, body: string, key = admin): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body });
  return { status: answer.status, text: await answer.text() };
}

/** Sends one procedure many inputs, as batches. */
async function answersTo(
  name: string,
  inputs: readonly unknown[],
): Promise<{ input: unknown; answer: Answer }[]> {
  const all: { input: unknown; answer: Answer }[] = [];
  for (let from = 0; from < inputs.length; from += 40) {
    const some = inputs.slice(from, from + 40);
    const body = JSON.stringify(Object.fromEntries(some.map((input, at) => [at, input])));
    const { text } = await post(`/trpc/${some.map(() => name).join(',')}?batch=1`, body);
    const answers = JSON.parse(text) as Answer[] | Answer;
    some.forEach((input, at) => {
      const answer = Array.isArray(answers) ? answers[at] : answers;
      all.push({ input, answer: answer ?? {} });
    });
  }
  return all;
}

test.each([
  ['plans.submit', { timeout: '0s' }],
  ['plans.submit', { timeout: '1000h' }],
  ['plans.submit', { timeout: 3e6 }],
  ['tasks.create', { timeoutMs: 2 ** 31 }],
])('%s refuses a time limit of %j, which nothing can wait for', async (name, limit) => {
  const steps = [{ key: 'k', title: 't', agent: 'f', ...limit }];
  const plan = { name: 'p', agents: { f: { command: ['true'] } }, stages: [{ name: 's', steps }] };
  const input =
    name === 'plans.submit'
      ? { plan, repo: nowhere }
      : { runId: crypto.randomUUID(), tasks: [{ key: 'k', ...limit }] };
  const { status, text } = await post(`/trpc/${name}`, JSON.stringify(input));
  expect(status).toBe(400);
  expect(text).toMatch(/timeout(Ms)?: /);
});

test.each([
  '//x:99999/y?batch=1',
  '//[/trpc/auth.whoami',
  '/trpc/auth.whoami?batch=1#x?y',
  '/%2f%2fx:99999?batch=1',
])('an address like %s is no error of the server', async (path) => {
  const [, port] = /:(\d+)$/.exec(server.url) ?? [];
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { authorization: `Bearer ${admin}` };
    request({ host: '127.0.0.1', port, path, headers }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
  expect(status).toBeLessThan(500);
});

test('a key that is not there cannot be revoked', async () => {
  const { status, text } = await post('/trpc/auth.revokeKey', JSON.stringify({ keyId: crypto.randomUUID() }));
  expect(status).toBe(404);
  expect(text).toContain('There is no key');
});

test.each(procedures.filter(([, { _def }]) => _def.type !== 'subscription'))(
  '%s answers every bad input with 400 to 499, a code and no stack',
  async (name, { _def }) => {
    const inputs = badInputs(_def.inputs.at(-1) ?? z.undefined()).filter(
      (input) => JSON.stringify(input).length < 100_000,
    );
    kept.lines.length = 0;
    let refused = 0;
    for (const { input, answer } of await answersTo(name, inputs)) {
      if (answer.error === undefined) continue;
      refused += 1;
      const { data } = answer.error;
      const what = `${name} ${JSON.stringify(input).slice(0, 300)} → ${JSON.stringify(answer.error).slice(0, 500)}`;
      expect(data.httpStatus, what).toBeGreaterThanOrEqual(400);
      expect(data.httpStatus, what).toBeLessThan(500);
      expect(data.baton?.code, what).toMatch(/^[A-Z_]+$/);
      expect(data.stack, what).toBeUndefined();
    }
    if (_def.inputs.length > 0) expect(refused).toBeGreaterThan(10);
    expect(kept.lines.filter(({ level }) => level === 'error')).toEqual([]);
  },
);

test('ids that are none, NUL and half characters are refused with the place', async () => {
  for (const taskId of ['x', 'a\0b', '\ud800', '1; --', '0'.repeat(5_000)]) {
    const [{ answer } = { answer: {} as Answer }] = await answersTo('tasks.get', [{ taskId }]);
    expect(answer.error?.data).toMatchObject({ httpStatus: 400, baton: { code: 'INVALID_INPUT' } });
  }
  const [{ answer } = { answer: {} as Answer }] = await answersTo('tasks.get', [{ taskId: 'x' }]);
  expect(answer.error?.data.baton).toMatchObject({ at: 'taskId' });
});

test('text that no row can hold is refused with its place, in values and in keys', async () => {
  const odd: [string, unknown, string][] = [
    ['auth.createKey', { name: 'a\0b', scopes: ['viewer'] }, 'name'],
    ['auth.createKey', { name: 'half \ud800', scopes: ['viewer'] }, 'name'],
    ['auth.createKey', { name: '', scopes: ['viewer'] }, 'name'],
    ['auth.createKey', { name: ' ', scopes: ['viewer'] }, 'name'],
    ['auth.createKey', { name: 'two\nlines', scopes: ['viewer'] }, 'name'],
    ['runs.pause', { run: 'x', reason: 'why\0' }, 'reason'],
    ['runs.pause', { run: 'x', reason: 'y', 'k\0': 1 }, 'input'],
  ];
  for (const [name, input, at] of odd) {
    const [{ answer } = { answer: {} as Answer }] = await answersTo(name, [input]);
    expect(answer.error?.data).toMatchObject({ httpStatus: 400, baton: { code: 'INVALID_INPUT', at } });
  }
});

test('bodies that are no JSON, too large, or for no procedure are refused with a code', async () => {
  const sent: [path: string, body: string, status: number, code: string][] = [
    ['/trpc/tasks.get', '{', 400, 'INVALID_INPUT'],
    ['/trpc/tasks.get', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 400, 'INVALID_INPUT'],
    ['/trpc/tasks.get', JSON.stringify({ taskId: 'x'.repeat(1_100_000) }), 413, 'PAYLOAD_TOO_LARGE'],
    ['/trpc/nothing.here', '{}', 404, 'NOT_FOUND'],
    [`/trpc/${Array.from({ length: 60 }, () => 'runs.list').join(',')}?batch=1`, '{}', 400, 'INVALID_INPUT'],
  ];
  for (const [path, body, status, code] of sent) {
    const answer = await post(path, body);
    expect(answer.status, path).toBe(status);
    expect(answer.text, path).toContain(`"code":"${code}"`);
    expect(answer.text).not.toContain('at Object');
  }
});

test.each([
  ['a path that cannot be decoded', '/%ff', {}, 400, '%25'],
  ['a path below the API that cannot be decoded', '/trpc/%zz', {}, 400, '%25'],
  ['a compressed body', '/trpc/runs.list', { 'content-encoding': 'gzip' }, 400, 'uncompressed'],
  ['a compressed webhook', '/webhooks/webhook', { 'content-encoding': 'br' }, 400, 'uncompressed'],
  ['another type of content', '/trpc/runs.list', { 'content-type': 'text/x' }, 400, 'application/json'],
])('%s is refused with a code and the way out', async (_, path, more, status, fix) => {
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json', ...more };
  const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: '{}' });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([status, expect.stringContaining(fix)]);
  expect(text).toContain('"code":"');
});

test('a signed webhook that is nested very deeply is refused, and no error of the server’s own is logged', async () => {
  kept.lines.length = 0;
  for (const depth of [150, 5_000, 200_000]) {
    const body = `{"type":"x","data":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`.slice(0, 1_040_000);
    const headers = signWebhook(body, { secret, id: `deep-${depth}`, at: systemClock.now() });
    const answer = await fetch(`${server.url}/webhooks/webhook`, { method: 'POST', headers, body });
    expect([400, 413], String(depth)).toContain(answer.status);
  }
  expect(kept.lines).toEqual([]);
});

test.each([
  ['target', { target: '../../x' }, {}],
  ['target', { target: '--upload-pack=x' }, {}],
  ['target', { target: 'a\u202eb' }, {}],
  ['repo.location', {}, { location: 'ext::sh -c "touch x"' }],
  ['repo.location', {}, { location: '--upload-pack=touch x' }],
  ['repo.location', {}, { location: 'relative/path' }],
])('a plan is refused at the door for its %s: %j %j', async (place, plan, repo) => {
  const input = { plan: twoSteps(plan), repo: { ...nowhere, ...repo } };
  const [{ answer } = { answer: {} as Answer }] = await answersTo('plans.submit', [input]);
  expect(answer.error?.data).toMatchObject({ httpStatus: 400, baton: { code: 'INVALID_INPUT' } });
  expect(answer.error?.message).toContain(place);
  expect((await bench.store.runs.list({})).items.map((run) => run.target)).not.toContain(
    'target' in plan ? plan.target : '',
  );
});
