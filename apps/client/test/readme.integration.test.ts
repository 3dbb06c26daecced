import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { makeApiKey, readServerEnv, startServer } from '@baton/server';
import { migrate, openStore } from '@baton/task-store';
import { createTestDatabase, runReadmeExample, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

const folder = path.join(import.meta.dirname, '..');
const readme = path.join(folder, 'README.md');
const clock = { now: () => new Date(), monotonicMs: () => performance.now() };
const say = () => undefined;

test('the example of the README submits a plan to a server and follows it', async () => {
  await using home = await tempDir();
  const templateKey = `client ${randomUUID()}`;
  await using database = await createTestDatabase({
    migrate: async (url) => void (await migrate(url)),
    templateKey,
  });
  const store = await openStore({ url: database.url, clock, ids: { uuid: randomUUID } });
  const { key, hash, prefix } = makeApiKey();
  await store.keys.create({ id: randomUUID(), name: 'reader', hash, prefix, scopes: ['operator'] });
  await store.close();
  const env = readServerEnv({ DATABASE_URL: database.url, BATON_PORT: '0', BATON_HOME: home.path });
  const server = await startServer(env, { log: { info: say, warn: say, error: say } });
  const printed = await runReadmeExample(readme, { env: { BATON_URL: server.url, BATON_KEY: key } });
  await server.close();
  expect(printed).toBe('format is PLANNED and waits: plan_approval\ntask PLANNED -> OPEN\n');
});

test('what is built names no other package of Baton: code and types are whole', async () => {
  for (const name of ['index.js', 'index.d.ts']) {
    const text = await readFile(path.join(folder, 'dist', name), 'utf8');
    const from = [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, id]) => id);
    expect(from.length).toBeGreaterThan(1);
    expect(from.filter((id) => id?.startsWith('@baton/'))).toEqual([]);
  }
});
