import { expect, it } from 'vitest';
import { migrate } from '../src/index.ts';
import { by, draft, request, runDraft } from './support/builders.ts';
import { ownStore, type TestStore } from './support/store.ts';

/** Calls of every kind, several at once, so that each connection has its statements prepared. */
async function useAll({ store }: TestStore): Promise<void> {
  const { run } = await store.runs.create(runDraft(['a', 'b', 'c', 'd'].map((key) => draft(key))), by);
  await store.runs.approvePlan(run.id, by);
  const key = `key-${run.id}`;
  await store.keys.create({ id: key, name: 'k', hash: key, prefix: 'k', scopes: ['viewer'] });
  const each = async () => {
    await store.runs.get(run.id);
    await store.tasks.list({ runId: run.id });
    await store.workers.list();
    await store.keys.list();
    await store.feed.read({ after: 0, limit: 10 });
    await store.claims.claimBatch(request({ maxTasks: 3 }));
  };
  await Promise.all(Array.from({ length: 4 }, each));
  const { items } = await store.tasks.list({ runId: run.id });
  expect(items.map(({ status }) => status)).toEqual(items.map(() => 'CLAIMED'));
  await store.runs.pause(run.id, by);
  await store.feed.sequence();
}

it('works on when a newer version adds columns to every table under it', async () => {
  await using own = await ownStore({ poolSize: 3 });
  for (let round = 0; round < 3; round++) await useAll(own);
  const tables = await own.sql(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of tables) await own.sql(`ALTER TABLE ${String(name)} ADD COLUMN newer integer`);
  await useAll(own);
});

it(
  'works on when its tables are dropped and made again under it, as by a restore',
  { tags: ['long'] },
  async () => {
    await using own = await ownStore({ poolSize: 3 });
    for (let round = 0; round < 2; round++) await useAll(own);
    await own.sql('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await expect(own.store.workers.list()).rejects.toMatchObject({ code: 'MIGRATION_FAILED' });
    await migrate(own.url);
    await useAll(own);
  },
);

it('says of a schema that lacks what it knows that another version made it', async () => {
  await using own = await ownStore();
  await own.sql(
    'ALTER FUNCTION baton_log RENAME TO baton_log_newer; ALTER TABLE task RENAME claimable TO may_be_claimed',
  );
  for (const call of [() => own.store.feed.sequence(), () => own.store.claims.claimBatch(request())])
    await expect(call()).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      message: expect.stringContaining('another version of Baton') as string,
    });
});
