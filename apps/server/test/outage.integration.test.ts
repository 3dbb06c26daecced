import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { manualClock, until } from '@baton/testkit';
import { signWebhook } from '@baton/triggers';
import { expect, test } from 'vitest';
import { cutLine } from './cut-line.ts';
import { nowhere, twoSteps } from './plans.ts';
import { createBench, feedEnd, keptLog } from './support.ts';

const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;

test('while the database is away senders get 503 and Retry-After, and afterwards nothing is lost', async () => {
  await using bench = await createBench();
  await using line = await cutLine(bench.databaseUrl);
  const triggersFile = path.join(bench.folder, 'triggers.yaml');
  await writeFile(triggersFile, 'rules: [{ name: any, source: webhook, task: { title: Look } }]');
  const { log, lines } = keptLog();
  const server = await bench.serve(
    { databaseUrl: line.url, triggersFile, webhookSecrets: [secret] },
    { log },
  );
  const send = (id: string) => {
    const body = JSON.stringify({ type: 'deploy.failed' });
    const headers = signWebhook(body, { secret, id, at: new Date() });
    return fetch(`${server.url}/webhooks/webhook`, { method: 'POST', headers, body });
  };
  const viewer = await bench.client(server, 'viewer');
  const positions: number[] = [];
  const following = viewer.events.feed.subscribe(
    { lastEventId: '0' },
    { onData: ({ id }) => void positions.push(Number(id)) },
  );
  expect((await send('before')).status).toBe(200);

  line.cut();
  const refused = await send('during');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(await refused.json()).toMatchObject({ error: { code: 'DATABASE_UNREACHABLE', retryable: true } });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);

  line.mend();
  await until(async () => (await fetch(`${server.url}/readyz`)).ok, { what: 'the server is ready again' });
  const again = await send('during');
  expect(await again.json()).toMatchObject({ duplicate: false, taskIds: [expect.any(String)] });
  expect((await bench.store.audit.counts())['total']).toBe(2);
  const end = await feedEnd(bench.store);
  await until(() => positions.at(-1) === end, {
    what: 'the subscriber has the last event',
    timeoutMs: 30_000,
  });
  expect(positions).toEqual(Array.from({ length: end }, (_, index) => index + 1));
  following.unsubscribe();
  const warnings = lines.filter(({ message }) => message.startsWith('numbering events failed'));
  expect(warnings.length).toBeLessThan(5);
  await server.close();
});

test('metrics tell tasks, workers, sessions and the feed, and count what machines did', async () => {
  await using bench = await createBench();
  const server = await bench.serve();
  const operator = await bench.client(server, 'operator');
  const { run } = await operator.plans.submit.mutate({ plan: twoSteps(), repo: nowhere });
  await operator.plans.approve.mutate({ run: run.id, reason: 'go' });
  const end = await feedEnd(bench.store);
  const metrics = async () => (await fetch(`${server.url}/metrics`)).text();
  await until(async () => (await metrics()).includes(`baton_feed_position ${end}`), {
    what: 'the feed is told',
  });
  await until(
    async () => (await metrics()).includes('baton_events_total{machine="task",to="OPEN",kind="move"} 2'),
    {
      what: 'the moves are counted',
    },
  );
  const text = await metrics();
  expect(text).toContain('baton_tasks{status="OPEN"} 2');
  expect(text).toContain('baton_tasks{status="CLOSED"} 0');
  expect(text).toContain('baton_tasks_ready 1');
  expect(text).toContain('baton_event_subscribers 0');
  await operator.runs.cancel.mutate({ run: run.id, reason: 'enough' });
  await until(async () => (await metrics()).includes('baton_tasks{status="OPEN"} 0'), {
    what: 'the states moved on',
  });
});

test('a worker that is silent by the clock of the database shows in the health of the server, whose own clock may be wrong', async () => {
  await using bench = await createBench();
  const clock = manualClock(new Date());
  const server = await bench.serve({}, { clock });
  const worker = await bench.client(server, 'worker', 'viewer');
  const id = '0199c2d4-0000-7000-8000-000000000001';
  await worker.workers.register.mutate({
    id,
    name: 'far-away',
    host: 'elsewhere',
    pid: 7,
    pidStarted: '1',
    bootId: 'b',
    capacity: 1,
    version: '0.0.0',
  });
  expect(await worker.workers.heartbeat.mutate({ workerId: id })).toEqual({ status: 'online' });
  expect(await worker.observability.health.query()).toMatchObject({ ok: true, silentWorkers: [] });
  clock.advance(60 * 60_000);
  expect(await worker.observability.health.query()).toMatchObject({ ok: true, silentWorkers: [] });
  clock.advance(-120 * 60_000);
  await bench.database.sql(`UPDATE worker SET heartbeat_at = now() - interval '10 minutes'`);
  expect(await worker.observability.health.query()).toMatchObject({
    ok: false,
    silentWorkers: [{ name: 'far-away' }],
  });
});
