// Writes the generated migrations anew: node --conditions=@baton/source scripts/write-machine-sql.ts
import { writeFile } from 'node:fs/promises';
import { machines } from '@baton/fsm-core';
import { cellSql, machineSql } from './machine-sql.ts';

const migration = (name: string) => new URL(`../prisma/migrations/${name}/migration.sql`, import.meta.url);
await writeFile(migration('0002_machines'), machineSql(Object.values(machines)));
await writeFile(migration('0007_cells'), cellSql(Object.values(machines)));
