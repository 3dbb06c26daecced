// Writes what is generated of the schema: node --conditions=@baton/source scripts/write-sql.ts
import { writeFile } from 'node:fs/promises';
import { machines } from '@baton/fsm-core';
import { cellSql } from './machine-sql.ts';
import { baseline, baselineText, cellsFile, releasedMigrations, stepsFile } from './schema-files.ts';
import { stepSql } from './step-sql.ts';

await writeFile(cellsFile, cellSql(Object.values(machines)));
await writeFile(stepsFile, await stepSql(Object.values(machines)));
if ((await releasedMigrations()).has('0001_baseline')) {
  console.error(
    'The baseline was released and stays as it is. Write the change as a new migration, and into sql/ as well.',
  );
  process.exitCode = 1;
} else await writeFile(baseline, await baselineText());
