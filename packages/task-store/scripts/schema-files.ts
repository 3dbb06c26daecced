import { readdir, readFile } from 'node:fs/promises';

/** Today's text of the whole schema, in the order of the names of its files. */
export const sqlFolder = new URL('../sql/', import.meta.url);
/** The part of it that is generated from the kernel's tables. */
export const cellsFile = new URL('03-cells.sql', sqlFolder);
/** The part that is generated from the coupled moves. */
export const stepsFile = new URL('03-steps.sql', sqlFolder);
/** Folder of the migrations. */
export const migrationsFolder = new URL('../prisma/migrations/', import.meta.url);
/** The first migration: all of {@link sqlFolder} until it is released. */
export const baseline = new URL('0001_baseline/migration.sql', migrationsFolder);

const head =
  "-- The whole schema, assembled from packages/task-store/sql by scripts/write-sql.ts; a test holds both equal. Don't edit.";

/** The baseline as the files of {@link sqlFolder} make it. */
export async function baselineText(): Promise<string> {
  const names = (await readdir(sqlFolder)).filter((name) => name.endsWith('.sql')).sort();
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, sqlFolder), 'utf8')));
  return `${[head, ...texts.map((text) => text.trimEnd())].join('\n\n')}\n`;
}

/** SHA-256 of each migration that a release has: databases were made by these very texts, so they never change. */
export async function releasedMigrations(): Promise<Map<string, string>> {
  const text = await readFile(new URL('../prisma/released.json', import.meta.url), 'utf8');
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}
