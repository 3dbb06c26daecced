// Writes the triggers' migration anew: node --conditions=@baton/source scripts/write-machine-sql.ts
import { writeFile } from 'node:fs/promises';
import { machines } from '@baton/fsm-core';
import { machineSql } from './machine-sql.ts';

const file = new URL('../prisma/migrations/0002_machines/migration.sql', import.meta.url);
await writeFile(file, machineSql(Object.values(machines)));
