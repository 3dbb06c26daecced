import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { machines } from '@baton/fsm-core';
import pg from 'pg';
import { expect, it } from 'vitest';
import { cellSql } from '../scripts/machine-sql.ts';
import { stepSql } from '../scripts/step-sql.ts';
import {
  baseline,
  baselineText,
  cellsFile,
  migrationsFolder,
  releasedMigrations,
  sqlFolder,
  stepsFile,
} from '../scripts/schema-files.ts';
import { schemaText } from '../scripts/schema-text.ts';
import { storeDatabase } from './support/database.ts';

const longestLine = 120;

it('the cells of the database are those of the kernel, and the baseline is what sql/ says', async () => {
  expect(await readFile(cellsFile, 'utf8')).toBe(cellSql(Object.values(machines)));
  expect(await readFile(baseline, 'utf8')).toBe(await baselineText());
});

it('the steps of the database are those that the coupled moves bring about', async () => {
  expect(await readFile(stepsFile, 'utf8')).toBe(await stepSql(Object.values(machines)));
});

it('a released migration is never changed', async () => {
  for (const [name, sha256] of await releasedMigrations()) {
    const text = await readFile(new URL(`${name}/migration.sql`, migrationsFolder), 'utf8');
    expect(createHash('sha256').update(text).digest('hex'), name).toBe(sha256);
  }
});

it(`sql/ defines each function once, in lines of at most ${longestLine} characters`, async () => {
  const names = (await readdir(sqlFolder)).filter((name) => name.endsWith('.sql'));
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, sqlFolder), 'utf8')));
  const lines = texts.join('\n').split('\n');
  expect(lines.filter((line) => line.length > longestLine)).toEqual([]);
  const defined = lines.flatMap((line) => /^CREATE (?:OR REPLACE )?FUNCTION (\w+)/.exec(line)?.[1] ?? []);
  expect(defined.length).toBeGreaterThan(50);
  expect(defined.filter((name, at) => defined.indexOf(name) !== at)).toEqual([]);
});

it('a migrated database has the schema of prisma/schema.sql', async () => {
  await using database = await storeDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await expect(await schemaText(client)).toMatchFileSnapshot('../prisma/schema.sql');
  } finally {
    await client.end();
  }
});
