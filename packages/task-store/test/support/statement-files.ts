import { readdirSync } from 'node:fs';
import path from 'node:path';

const src = path.join(import.meta.dirname, '../../src');

/** The files of the statements: absolute paths of each `*.sql.ts` below `src`. */
export const statementFiles: readonly string[] = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.sql.ts'))
  .map((file) => path.join(src, file))
  .sort();
