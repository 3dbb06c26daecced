import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import pg from 'pg';
import { expect, test } from 'vitest';

import { createTestDatabase, tempDir } from '../src/index.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('database-user.ts', import.meta.url));

test('processes that never dispose end by themselves, share one server, and leave what the next one removes', async () => {
  // Held by this process at the same time: a server that was looked through says nothing about the next.
  await using elsewhere = await createTestDatabase({
    templateKey: 'elsewhere',
    migrate: () => Promise.resolve(),
  });
  await using home = await tempDir();
  const env = { BATON_TEST_PG_HOME: home.path };
  const runs = Array.from({ length: 3 }, () =>
    run(process.execPath, ['--conditions=@baton/source', script], { env, timeout: 50_000 }),
  );
  const left = (await Promise.all(runs)).map(({ stdout }) => new URL(stdout.trim()));
  expect(new Set(left.map(({ port }) => port)).size).toBe(1);
  expect(new Set(left.map(({ pathname }) => pathname)).size).toBe(3);

  expect(left[0]?.port).not.toBe(new URL(elsewhere.url).port);
  await using database = await createTestDatabase({
    templateKey: 'next',
    migrate: () => Promise.resolve(),
    env,
  });
  expect(new URL(database.url).port).toBe(left[0]?.port);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT datname FROM pg_database WHERE datname LIKE 'baton\\_test\\_%'`,
  );
  await client.end();
  expect(rows).toEqual([{ datname: database.name }]);
});
