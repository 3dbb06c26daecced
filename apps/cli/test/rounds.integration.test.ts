import { plan } from '@baton/contracts';
import { migrate, openStore, type Store } from '@baton/task-store';
import { createTestDatabase, tempDir, until } from '@baton/testkit';
import { expect, it } from 'vitest';

import type { Output } from '../src/terminal/output.ts';
import { startRounds } from '../src/up/rounds.ts';
import { runDraftOf } from './support/run-draft.ts';

const by = { actor: 'operator:tester', reason: 'test' };

/** A run that was cancelled: its history is over. */
async function settledRun(store: Store, slug: string): Promise<string> {
  const written = plan.parse({ name: slug, stages: [{ name: 'all', steps: [{ key: 'a', title: 'A' }] }] });
  const { run } = await store.runs.create(runDraftOf(written, slug), by);
  await store.runs.cancel(run.id, by);
  await store.feed.sequence();
  return run.id;
}

it('moves what is over when `baton up` begins, and what is over later in a later round; the record stays whole', async () => {
  await using database = await createTestDatabase({
    migrate: () => Promise.resolve(),
    templateKey: 'empty',
  });
  await using folder = await tempDir();
  await migrate(database.url);
  const store = await openStore({ url: database.url });
  const said: string[] = [];
  const out = { note: (text: string) => said.push(text), warn: (text: string) => said.push(text) };
  const archived = async (runId: string) =>
    (await store.archive.before({ machine: 'run', entityId: runId })) !== null;
  try {
    const first = await settledRun(store, 'first');
    expect(await archived(first)).toBe(false);
    const retention = { kept: { eventsMs: 0, agentEventsMs: 0 }, dir: folder.path, everyMs: 20 };
    const rounds = startRounds({ out: out as unknown as Output }, { store }, retention);
    try {
      await until(() => archived(first), { what: 'the first run is archived' });
      const second = await settledRun(store, 'second');
      await until(() => archived(second), { what: 'the second run is archived' });
    } finally {
      await rounds.stop();
    }
    const {
      broken,
      archived: events,
      archiveChecked,
    } = await store.audit.verify({ archiveDir: folder.path });
    expect(broken).toEqual([]);
    expect(events).toBeGreaterThan(0);
    expect(archiveChecked).toBe(events);
    expect(said.length).toBeGreaterThanOrEqual(2);
    for (const text of said) expect(text).toMatch(/^Moved \d+ events to /);
  } finally {
    await store.close();
  }
});
