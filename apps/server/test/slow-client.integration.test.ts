import { request, type IncomingMessage } from 'node:http';
import { manualClock, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { draft, nowhere, twoSteps } from './plans.ts';
import { createBench, feedEnd, keptLog } from './support.ts';

/** Opens the feed and reads nothing of it, as a client does that hangs. */
function openFeed(url: string, key: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const input = encodeURIComponent(JSON.stringify({ lastEventId: '0' }));
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
    const call = request(`${url}/trpc/events.feed?input=${input}`, { headers }, (response) => {
      response.pause();
      response.on('error', () => undefined);
      resolve(response);
    });
    call.on('error', reject);
    call.end();
  });
}

test('a client that takes nothing is disconnected, while others get every event', async () => {
  await using bench = await createBench();
  const clock = manualClock(new Date());
  const { log, lines } = keptLog();
  const server = await bench.serve({}, { clock, log });
  const operator = await bench.client(server, 'operator');
  const { run } = await operator.plans.submit.mutate({ plan: twoSteps(), repo: nowhere });
  const hung = await openFeed(server.url, await bench.key('viewer'));
  expect(hung.statusCode).toBe(200);
  const seen: number[] = [];
  const following = operator.events.feed.subscribe(
    { lastEventId: '0' },
    { onData: ({ id }) => void seen.push(Number(id)) },
  );
  // More than the buffers of both sockets hold.
  for (let round = 0; round < 6; round += 1) {
    const drafts = Array.from({ length: 500 }, (_, index) => draft(`t-${round}-${index}`));
    await bench.store.tasks.add(run.id, { actor: 'test', reason: 'x'.repeat(10_000), planned: true, drafts });
  }
  const end = await feedEnd(bench.store);
  await until(() => seen.at(-1) === end, { what: 'the other client has every event', timeoutMs: 30_000 });
  expect(seen).toEqual(Array.from({ length: end }, (_, index) => index + 1));
  const subscribers = async () => (await operator.observability.health.query()).subscribers;
  expect(await subscribers()).toBe(2);
  clock.advance(61_000);
  await until(() => lines.some(({ message }) => message.startsWith('a subscriber takes no events')), {
    what: 'the server has noticed',
  });
  await until(async () => (await subscribers()) === 1, {
    what: 'the hanging client is gone, the other is not',
  });
  following.unsubscribe();
});
