import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@baton/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBatonClient } from '../src/client.ts';
import { nowhere, twoSteps } from './plans.ts';
import { createBench, feedEnd, type Bench } from './support.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await createBench();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** A proxy with the server below /baton. It answers the requests that come first by itself, in pages for people. */
async function proxyOf(target: string, refusals: number[]): Promise<{ url: string; proxy: Server }> {
  const pass = (from: IncomingMessage, to: ServerResponse) => {
    const headers = { ...from.headers, host: new URL(target).host };
    const place = new URL((from.url ?? '').replace(/^\/baton/, ''), target);
    const passed = request(place, { method: from.method, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(to);
    });
    to.on('close', () => passed.destroy());
    passed.on('error', () => to.destroy());
    from.pipe(passed);
  };
  const proxy = createServer((from, to) => {
    const status = refusals.shift();
    if (status === undefined) return pass(from, to);
    to.writeHead(status, { 'content-type': 'text/html' }).end(`<html><h1>${status}</h1></html>`);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/baton/`, proxy };
}

test('a live feed and a query outlast the moments in which a proxy has no server, below a path of their own, and miss nothing', async () => {
  const server = await bench.serve();
  const refusals = [502, 504];
  const { url, proxy } = await proxyOf(server.url, refusals);
  const client = createBatonClient({ url, key: await bench.key('operator') });
  const positions: number[] = [];
  const failures: string[] = [];
  const feed = client.events.feed.subscribe(
    { lastEventId: '0' },
    { onData: ({ id }) => positions.push(Number(id)), onError: ({ message }) => failures.push(message) },
  );
  const submitted = async () => {
    await client.plans.submit.mutate({ plan: twoSteps(), repo: nowhere });
    return feedEnd(bench.store);
  };
  try {
    await until(() => refusals.length === 0 || failures.length > 0, { what: 'the feed was refused twice' });
    const end = await submitted();
    await until(() => positions.at(-1) === end || failures.length > 0, { what: `event ${end} has come` });
    expect(failures).toEqual([]);
    refusals.push(502, 504);
    expect(await client.runs.list.query({})).toMatchObject({ items: [{ status: 'running' }] });
    expect(positions).toEqual(Array.from({ length: end }, (_, index) => index + 1));
  } finally {
    feed.unsubscribe();
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
});
