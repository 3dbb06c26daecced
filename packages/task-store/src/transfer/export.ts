import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Store } from '../api/store.ts';
import { query, type Db } from '../db/query.ts';
import { createLogger } from '../feed/feed.ts';
import { openSnapshot } from './snapshot.ts';
import { inOrder, migrationsStatement, orderOf, quoted, tablesStatement } from './tables.ts';

const rowsAtOnce = 1_000;
const row = z.object({ line: z.string() });

/**
 * The whole store as lines of JSON at one moment: a head, each table's name and its rows as the database writes them, and an end
 * with the number of lines and their SHA-256. The same store gives the same bytes.
 */
export const exportLines = (db: Db, storeId: string): Store['transfer']['exportLines'] =>
  async function* () {
    const hash = createHash('sha256');
    let lines = 0;
    const said = (line: string) => {
      hash.update(`${line}\n`);
      lines += 1;
      return line;
    };
    // What the log does not have yet could be changed on the way.
    await createLogger(db)();
    const tables = inOrder(await query(db, tablesStatement, []));
    const migrations = (await query(db, migrationsStatement, [])).map(({ name }) => name);
    await using snapshot = await openSnapshot(db);
    const { run } = snapshot;
    yield said(JSON.stringify({ format: 'baton-export', version: 3, storeId, migrations }));
    for (const table of tables) {
      yield said(JSON.stringify({ table: table.name }));
      const cursor = quoted(`export_${table.name}`);
      const text = `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT (to_jsonb(t) - ARRAY[${table.generated.map((name) => `'${name}'`).join(', ')}]::text[])::text AS line FROM ${quoted(table.name)} t ORDER BY ${orderOf(table)}`;
      await run({ name: `export-open-${table.name}`, text, row: z.unknown() }, []);
      const fetch = { name: `export-fetch-${table.name}`, text: `FETCH ${rowsAtOnce} FROM ${cursor}`, row };
      for (;;) {
        const rows = await run(fetch, []);
        for (const { line } of rows) yield said(line);
        if (rows.length < rowsAtOnce) break;
      }
    }
    yield JSON.stringify({ end: { lines, sha256: hash.digest('hex') } });
  };
