import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDatabase } from '@baton/testkit';
import { openStore, type Store } from '../src/index.ts';
import { by, draft, request, runDraft } from './support/builders.ts';
import { storeDatabase } from './support/database.ts';

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await storeDatabase();
  store = await openStore({ url: database.url });
});
afterAll(async () => {
  await store.close();
  await database[Symbol.asyncDispose]();
});

it('claims a batch and carries it to done', async () => {
  const { run, tasks } = await store.createRun(
    runDraft([draft('a'), draft('b', { dependsOn: ['a'] }), draft('c')]),
    by,
  );
  expect(tasks.map((task) => task.status)).toEqual(['PLANNED', 'PLANNED', 'PLANNED']);
  expect(await store.approvePlan(run.id, by)).toBe(3);
  const claim = await store.claimBatch(request({ maxTasks: 3, runId: run.id }));
  expect(claim?.tasks.map((each) => each.task.key)).toEqual(['a', 'b', 'c']);
});
