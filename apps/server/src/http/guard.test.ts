import { systemClock } from '@baton/service/system';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import type { ServerContext } from '../api/context.ts';
import { guard } from './guard.ts';
import { hashApiKey } from '../access/keys.ts';

/** A server on a store that counts how often it was asked. */
async function open(valid: Set<string>) {
  const app = fastify();
  let asked = 0;
  const store = {
    byHash: async (hash: string) => {
      asked += 1;
      const token = [...valid].find((each) => hashApiKey(each) === hash);
      return token === undefined ? null : { id: token, name: token, scopes: ['viewer'] };
    },
  };
  const names = { hosts: new Set(['here']), origins: new Set<string>() };
  const ctx = { store: { keys: store }, clock: systemClock } as unknown as ServerContext;
  await guard(app, ctx, { allowed: () => names });
  app.get('/', () => 'ok');
  const ask = async (token: string, address: string) => {
    const headers = { host: 'here', authorization: `Bearer ${token}` };
    const answer = await app.inject({ url: '/', headers, remoteAddress: address });
    return answer.statusCode === 200 ? 'ok' : answer.json<{ code: string }>().code;
  };
  return { ask, asked: () => asked };
}

test('a flood of wrong keys does not reach the store, and keys that were valid keep their way in', async () => {
  const valid = new Set(['old', 'new']);
  const { ask, asked } = await open(valid);
  expect(await ask('old', '10.0.0.1')).toBe('ok');
  for (let at = 0; at < 700; at += 1) await ask(`wrong-${at}`, '10.0.0.1');
  expect(asked()).toBe(600);
  expect(await ask('wrong', '10.0.0.1')).toBe('RATE_LIMITED');
  expect(await ask('new', '10.0.0.1'), 'not known yet').toBe('RATE_LIMITED');
  expect(asked()).toBe(600);
  expect(await ask('old', '10.0.0.1')).toBe('ok');
  expect(await ask('new', '10.0.0.2'), 'from another address').toBe('ok');
  expect(await ask('new', '10.0.0.1'), 'known by now').toBe('ok');
  valid.delete('old');
  await ask('old', '10.0.0.1');
  const before = asked();
  expect(await ask('old', '10.0.0.1')).toBe('RATE_LIMITED');
  expect(asked(), 'a revoked key is a wrong one').toBe(before);
});
