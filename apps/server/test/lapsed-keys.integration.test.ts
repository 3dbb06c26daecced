import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { systemClock } from '@baton/service/system';
import { expect, test } from 'vitest';
import { createBatonClient } from '../src/client.ts';
import { nowhere, twoSteps } from './plans.ts';
import { createBench, type Bench } from './support.ts';

const body = JSON.stringify({ plan: twoSteps(), repo: nowhere });
/** Begins a call that makes a run: its headers and half of its body are at the server. */
async function half(url: string, key: string) {
  const headers = {
    ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json', expect: '100-continue' },
    'content-length': Buffer.byteLength(body),
  };
  const call = request(`${url}/trpc/plans.submit`, { method: 'POST', headers });
  call.flushHeaders();
  await once(call, 'continue');
  call.write(body.slice(0, 20));
  return async () => {
    call.end(body.slice(20));
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    let text = '';
    for await (const part of answer) text += String(part);
    return { status: answer.statusCode, text };
  };
}

const newest = async (bench: Bench) => (await bench.store.keys.list()).at(-1)?.id ?? '';
const lapses: [string, (bench: Bench) => Promise<void>, number, string][] = [
  ['revoked', async (bench) => bench.store.keys.revoke(await newest(bench)), 401, 'was revoked'],
  [
    'given a lesser scope',
    (bench) => bench.database.sql(`UPDATE api_key SET scopes = '{viewer}' WHERE scopes = '{operator}'`),
    403,
    'lacks the scope operator',
  ],
];

test.each(lapses)(
  'a call whose key is %s while its body is on the way is refused and has no effect',
  async (_, lapse, status, why) => {
    await using bench = await createBench();
    let aheadMs = 0;
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs };
    const server = await bench.serve({}, { clock });
    const viewer = await bench.client(server, 'viewer');
    const key = await bench.key('operator');
    const finish = await half(server.url, key);
    await createBatonClient({ url: server.url, key }).auth.whoami.query();
    await lapse(bench);
    aheadMs = 1_000;
    const answer = await finish();
    expect(answer).toEqual({ status, text: expect.stringContaining(why) as string });
    expect((await viewer.runs.list.query()).items).toEqual([]);
  },
);
