import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { signWebhook } from '@baton/triggers';
import { manualClock, until } from '@baton/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunningServer } from '../src/compose.ts';
import type { Delivery } from '../src/triggers/accept-delivery.ts';
import { createBench, type Bench } from './support.ts';

const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const hour = 3_600_000;

let bench: Bench;
let triggersFile: string;

beforeEach(async () => {
  bench = await createBench();
  triggersFile = path.join(bench.folder, 'triggers.yaml');
});
afterEach(() => bench[Symbol.asyncDispose]());

const rule = (limits: string) => `rules:
  - name: failed
    source: webhook
    trusted_senders: bot
${limits}
    task: { title: Look }
`;

/** Servers on one database, each with its own clock: how far it is ahead, in milliseconds. */
async function servers(limits: string, aheadMs: readonly number[]): Promise<RunningServer[]> {
  await writeFile(triggersFile, rule(limits));
  const repo = 'https://git.example.com/acme/app.git';
  const serve = (ms: number) =>
    bench.serve(
      { triggersFile, repo, webhookSecrets: [secret] },
      { clock: manualClock(new Date(Date.now() + ms)) },
    );
  return Promise.all(aheadMs.map(serve));
}

async function deliver(to: RunningServer | undefined, id: string, aheadMs = 0): Promise<Delivery> {
  const text = JSON.stringify({ type: 'deploy.failed', sender: 'bot' });
  const signed = signWebhook(text, { secret, id, at: new Date(Date.now() + aheadMs) });
  const answer = await fetch(`${to?.url}/webhooks/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed },
    body: text,
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Delivery;
}

const started = (deliveries: readonly Delivery[]) =>
  deliveries.filter(({ rules }) => rules.some((each) => each.started)).length;

test.each([
  ['max_open', '    conditions: { max_open: 2 }', 2],
  ['a cool-down', '    conditions: { cooldown: 1h }', 1],
])('%s holds for deliveries that two servers take at one moment', async (_, limits, allowed) => {
  const both = await servers(limits, [0, 0]);
  const ids = Array.from({ length: 12 }, (_, at) => `msg-${at}`);
  const taken = await Promise.all(ids.map((id, at) => deliver(both[at % 2], id)));
  expect(started(taken)).toBe(allowed);
  expect((await bench.store.tasks.list({})).items).toHaveLength(allowed);
  // Delivered again, by the other server, each has its first answer.
  const again = await Promise.all(ids.map((id, at) => deliver(both[(at + 1) % 2], id)));
  expect(again.map(({ duplicate, taskIds }) => ({ duplicate, taskIds }))).toEqual(
    taken.map(({ taskIds }) => ({ duplicate: true, taskIds })),
  );
});

test('a rate limit holds for deliveries that two servers take at one moment: what is over it starts later', async () => {
  const both = await servers('    rate_limit: { max: 2, per: 1h }', [0, 0]);
  await Promise.all(Array.from({ length: 6 }, (_, at) => deliver(both[at % 2], `msg-${at}`)));
  const { items } = await bench.store.tasks.list({});
  const hours = items.map(({ notBefore }) =>
    notBefore === null ? 0 : Math.round((notBefore.getTime() - Date.now()) / hour),
  );
  expect(hours.sort()).toEqual([0, 0, 1, 1, 2, 2]);
});

test('one delivery that two servers take at one moment is one task, and both answer with it', async () => {
  const both = await servers('    conditions: { max_open: 1 }', [0, 0]);
  const taken = await Promise.all([0, 1, 2, 3].map((at) => deliver(both[at % 2], 'the-same')));
  expect(new Set(taken.map(({ taskIds }) => taskIds.join(' '))).size).toBe(1);
  expect(taken.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
  expect((await bench.store.tasks.list({})).items).toHaveLength(1);
});

test('limits count by the clock of the database, whatever the clocks of the servers say', async () => {
  const [right, ahead] = await servers('    conditions: { cooldown: 1h }', [0, 30 * 24 * hour]);
  const taken = [await deliver(right, 'one'), await deliver(ahead, 'two', 30 * 24 * hour)];
  expect(started(taken)).toBe(1);
});

test('a schedule that a clock years ahead had reached fires again once the clock is right', async () => {
  const text = `rules:
  - name: nightly
    source: schedule
    schedule: { cron: '* * * * *' }
    task: { title: Look }
`;
  await writeFile(triggersFile, text);
  const ticks = async () =>
    (await bench.store.inbox.deliveries({ limit: 100 })).map((each) => each.deliveryId);
  const wrong = manualClock(new Date(Date.UTC(2030, 0, 1, 0, 0, 30)));
  const first = await bench.serve({ triggersFile }, { clock: wrong });
  await until(async () => (await bench.store.feed.getCursor('schedule:nightly:* * * * *:UTC')) > 0, {
    what: 'the schedule has begun',
  });
  wrong.advance(60_000);
  await until(async () => (await ticks()).includes('nightly@2030-01-01T00:01:00.000Z'), {
    what: 'a tick of 2030',
  });
  await first.close();
  const right = manualClock(new Date(Date.UTC(2026, 0, 1, 0, 0, 30)));
  await bench.serve({ triggersFile }, { clock: right });
  await until(
    async () => {
      right.advance(20_000);
      return (await ticks()).some((id) => id.startsWith('nightly@2026-01-01'));
    },
    { what: 'a tick of today' },
  );
});
