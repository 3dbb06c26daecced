import { until } from '@baton/testkit';
import { expect, test } from 'vitest';
import type { BatonClient } from '../src/client.ts';
import { draft, nowhere, twoSteps } from './plans.ts';
import { createBench, feedEnd, keptLog } from './support.ts';

/** Follows the feed from a position and keeps what came. */
function follow(client: BatonClient, lastEventId: string) {
  const ids: string[] = [];
  const errors: string[] = [];
  const subscription = client.events.feed.subscribe(
    { lastEventId },
    {
      onData: ({ data }) => void ids.push(data.id),
      onError: (error) => void errors.push(String(error)),
    },
  );
  return { ids, errors, stop: () => subscription.unsubscribe() };
}

test.each([0, 1])(
  'a dump restored under a server ends its live feeds, and %d events later their last ids are refused with the way out',
  async (since) => {
    await using bench = await createBench();
    const { log, lines } = keptLog();
    const server = await bench.serve({}, { log });
    const operator = await bench.client(server, 'operator');
    const { run } = await operator.plans.submit.mutate({ plan: twoSteps(), repo: nowhere });
    const add = (key: string) => operator.tasks.create.mutate({ runId: run.id, tasks: [draft(key)] });
    const viewer = await bench.client(server, 'viewer');
    const kept = await feedEnd(bench.store);
    await bench.database.keepCopy();
    for (const key of ['lost-1', 'lost-2', 'lost-3']) await add(key);
    const had = await feedEnd(bench.store);
    const before = follow(viewer, '0');
    await until(() => before.ids.length === had, { what: 'every event has come', timeoutMs: 20_000 });

    await bench.database.putCopyBack();
    if (since > 0) await add('kept');
    await until(() => before.errors.length > 0, { what: 'the feed is refused', timeoutMs: 15_000 });
    const has = await feedEnd(bench.store);
    expect(has).toBeGreaterThanOrEqual(kept);
    expect(before.errors[0]).toContain(`The feed ends at ${has}; there is no event ${had}.`);
    expect(before.ids).toHaveLength(had);
    expect(lines.map(({ message }) => message)).toContain(
      'the log of the database was set back; every subscriber is disconnected',
    );

    const again = follow(viewer, '0');
    await add('afterwards');
    const end = await feedEnd(bench.store);
    await until(() => again.ids.length === end, { what: 'the new feed has all', timeoutMs: 10_000 });
    const inLog = await bench.store.feed.read({ after: 0, limit: 1_000 });
    expect(again.ids).toEqual(inLog.map(({ id }) => id));
    again.stop();
    before.stop();
  },
);
