import { createHash } from 'node:crypto';
import { BatonError } from '@baton/contracts';
import { z } from 'zod';
import type { Store } from '../api.ts';
import { inTransaction, query, type Db, type Statement } from '../db.ts';
import { auditChecks } from '../sql/audit.ts';
import * as first from './first-record.ts';
import { inOrder, migrationsStatement, quoted, tablesStatement, type StoreTable } from './tables.ts';

const rowsAtOnce = 500;
const header = z.strictObject({
  format: z.literal('baton-export'),
  version: z.union([z.literal(1), z.literal(2)]),
  storeId: z.string(),
  migrations: z.array(z.string()),
});
const marker = z.strictObject({ table: z.string() });
const trailer = z.strictObject({ end: z.strictObject({ lines: z.number().int(), sha256: z.string() }) });

type Run = Parameters<Parameters<typeof inTransaction>[1]>[0];
interface Line {
  text: string;
  value: unknown;
  number: number;
}

/**
 * Puts an exported store into an empty one, in one transaction: it is there whole, with log and histories verified, or not at all.
 */
export const importLines =
  (db: Db): Store['importLines'] =>
  async (lines, { name }) => {
    const tables = inOrder(await query(db, tablesStatement, []));
    const own = (await query(db, migrationsStatement, [])).map((migration) => migration.name);
    return inTransaction(db, async (run) => {
      await refuseFilled(run, tables);
      for (const { name: table } of tables)
        await run(plain(`import-off-${table}`, `ALTER TABLE ${quoted(table)} DISABLE TRIGGER USER`), []);
      // The store takes over the identity under which its lanes are known to repositories.
      await run(plain('import-identity', 'DELETE FROM store_identity'), []);
      const rows = await readInto(run, { lines: checked(lines, name), tables, own, name });
      for (const { name: table } of tables)
        await run(plain(`import-on-${table}`, `ALTER TABLE ${quoted(table)} ENABLE TRIGGER USER`), []);
      for (const table of tables) await continueSerials(run, table);
      await run(lateEvents, []);
      await refuseBroken(run, name);
      return { rows };
    });
  };

const plain = (name: string, text: string) =>
  ({ name, text, row: z.unknown(), readonly: false }) satisfies Statement;

function invalid(name: string, line: number, what: string): BatonError {
  return new BatonError('RECORD_FILE_INVALID', `${name}:${line}: ${what}`, {
    at: `${name}:${line}`,
    fix: 'Name a file that `baton export` wrote, as it was written.',
  });
}

async function refuseFilled(run: Run, tables: readonly StoreTable[]): Promise<void> {
  for (const { name } of tables) {
    if (name === 'store_identity') continue;
    const statement = { ...plain(`import-any-${name}`, `SELECT 1 AS one FROM ${quoted(name)} LIMIT 1`) };
    if ((await run(statement, [])).length > 0)
      throw new BatonError('CONFLICT', `The store is not empty: ${name} has rows.`, {
        at: name,
        fix: 'Import into a store of its own: another DATABASE_URL, or another BATON_HOME.',
      });
  }
}

/** Parses the lines and checks count and hash at the end. */
async function* checked(lines: AsyncIterable<string>, name: string): AsyncGenerator<Line> {
  const hash = createHash('sha256');
  let held: Line | undefined;
  let number = 0;
  for await (const text of lines) {
    if (held !== undefined) {
      hash.update(`${held.text}\n`);
      yield held;
    }
    number += 1;
    held = { text, number, value: parse(text) };
  }
  const end = trailer.safeParse(held?.value);
  if (!end.success) throw invalid(name, number, 'the end of the file is missing');
  if (end.data.end.lines !== number - 1 || end.data.end.sha256 !== hash.digest('hex'))
    throw invalid(name, number, 'its count or its SHA-256 is not that of the lines before it');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // said by the schema of the line
  }
}

async function readInto(
  run: Run,
  options: {
    lines: AsyncIterable<Line>;
    tables: readonly StoreTable[];
    own: readonly string[];
    name: string;
  },
): Promise<number> {
  const { tables, name } = options;
  let table: StoreTable | undefined;
  let waiting: string[] = [];
  let rows = 0;
  let isFirst = false;
  const flush = async () => {
    if (table !== undefined && waiting.length > 0)
      await insert(run, { table, lines: waiting, defaults: isFirst ? first.defaults : {} });
    rows += waiting.length;
    waiting = [];
  };
  for await (const line of options.lines) {
    if (line.number === 1) {
      isFirst = refuseOther(line, options) === 1;
      if (isFirst) await run(first.beforeRows, []);
      continue;
    }
    const next = marker.safeParse(line.value);
    if (next.success && !tables.find(({ columns }) => columns.length === 1 && columns[0] === 'table')) {
      await flush();
      table = tableOf(next.data.table, { tables, isFirst });
      if (table === undefined) throw invalid(name, line.number, `there is no table ${next.data.table}`);
      continue;
    }
    if (table === undefined) throw invalid(name, line.number, 'a row before the name of its table');
    const value = isFirst ? first.adapted(table.name, line.value) : line.value;
    if (table.columns.length === 0) continue;
    refuseShape({ ...line, value }, { table, name });
    waiting.push(line.text);
    if (waiting.length >= rowsAtOnce) await flush();
  }
  await flush();
  for (const statement of isFirst ? first.afterRows : []) await run(statement, []);
  return rows;
}

/** A table by its name in the file; of the first record also those that are none any more. */
function tableOf(
  name: string,
  { tables, isFirst }: { tables: readonly StoreTable[]; isFirst: boolean },
): StoreTable | undefined {
  if (!isFirst || !first.isGoneTable(name)) return tables.find((each) => each.name === name);
  const held = first.heldOf(name);
  const columns = held === null ? [] : ['position', 'event_id'];
  return { name: held ?? name, columns, generated: [], key: [], needs: [], serials: [] };
}

/** The version of the file, of a store with the tables of this program. */
function refuseOther(line: Line, { own, name }: { own: readonly string[]; name: string }): 1 | 2 {
  const head = header.safeParse(line.value);
  if (!head.success)
    throw invalid(name, line.number, 'this is no export of a version that this program knows');
  if (head.data.version === 1 && first.isFirstRecord(head.data.migrations)) return 1;
  const differs = (a: readonly string[], b: readonly string[]) => a.find((each) => !b.includes(each));
  const theirs = differs(head.data.migrations, own);
  const ours = differs(own, head.data.migrations);
  if (theirs === undefined && ours === undefined && head.data.version === 2) return 2;
  throw new BatonError(
    'RECORD_FILE_INVALID',
    `${name} was written by ${theirs === undefined || head.data.version === 1 ? 'an older' : 'a newer'} version of Baton (${theirs ?? ours ?? ''}).`,
    {
      at: `${name}:1`,
      fix: 'Import it with the version that wrote it, then update.',
    },
  );
}

function refuseShape({ value, number }: Line, { table, name }: { table: StoreTable; name: string }): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(name, number, `no row of ${table.name}`);
  const keys = Object.keys(value);
  const unknown = keys.find((key) => !table.columns.includes(key));
  if (unknown !== undefined) throw invalid(name, number, `${table.name} has no "${unknown}"`);
  const missing = table.columns.find((column) => !keys.includes(column));
  if (missing !== undefined) throw invalid(name, number, `the row of ${table.name} lacks "${missing}"`);
}

async function insert(
  run: Run,
  { table, lines, defaults }: { table: StoreTable; lines: string[]; defaults: object },
): Promise<void> {
  const into = quoted(table.name);
  const columns = table.columns.map(quoted);
  const text = `INSERT INTO ${into} (${columns.join(', ')}) OVERRIDING SYSTEM VALUE
    SELECT ${columns.map((column) => `r.${column}`).join(', ')} FROM unnest($1::text[]) WITH ORDINALITY x(line, n)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${into}, $2::jsonb || x.line::jsonb) r ORDER BY x.n`;
  await run(plain(`import-rows-${table.name}`, text), [lines, JSON.stringify(defaults)]);
}

async function continueSerials(run: Run, { name, serials }: StoreTable): Promise<void> {
  for (const column of serials) {
    const text = `SELECT setval(pg_get_serial_sequence('${quoted(name)}', '${column}'), greatest(max(${quoted(column)}), 1), max(${quoted(column)}) IS NOT NULL) FROM ${quoted(name)}`;
    await run(plain(`import-serial-${name}-${column}`, text), []);
  }
}

/** Events that committed too late for the log of the export: the next look at the log finds them. */
const lateEvents = plain(
  'import-late-events',
  `INSERT INTO log_gap (ids, until) SELECT late.ids, pg_current_xact_id() FROM (
     SELECT range_agg(int8range(e.id, e.id, '[]')) AS ids FROM lifecycle_event e
     WHERE e.id <= (SELECT max(l.seen) FROM log_entry l)
       AND NOT EXISTS (SELECT 1 FROM log_entry l CROSS JOIN LATERAL unnest(l.ids) AS i(id) WHERE i.id = e.id)) late
   WHERE late.ids IS NOT NULL`,
);

/** Moves that no machine has, and tasks that closed without a landing: what the doors would not have let in. */
const illegal = {
  name: 'import-illegal',
  text: `SELECT machine, entity_id AS "entityId", seq, 'no move of its machine' AS what FROM lifecycle_event e WHERE e.kind IN ('move', 'override')
      AND NOT EXISTS (SELECT 1 FROM machine_cell c WHERE c.key = concat_ws('|', e.machine, e.from_state, e.event, coalesce(e.alias, ''), e.to_state, e.kind))
    UNION ALL SELECT 'task', t.id, t.version, 'closed without a landing' FROM task t WHERE t.status = 'CLOSED' AND NOT EXISTS (
      SELECT 1 FROM landing l JOIN verdict v ON v.id = l.verdict_id WHERE l.task_id = t.id AND l.confirmed_at IS NOT NULL AND v.passed AND v.tree = l.tree)
    LIMIT 20`,
  row: z.object({ machine: z.string(), entityId: z.string(), seq: z.number(), what: z.string() }),
  readonly: true,
} satisfies Statement;

async function refuseBroken(run: Run, name: string): Promise<void> {
  const broken: z.output<typeof illegal.row>[] = [];
  for (const check of [...auditChecks, illegal]) broken.push(...(await run(check, [])));
  const [worst] = broken;
  if (worst === undefined) return;
  throw new BatonError(
    'RECORD_FILE_INVALID',
    `The record in ${name} does not hold: ${worst.machine} ${worst.entityId} at ${worst.seq}: ${worst.what}${broken.length > 1 ? ` (and ${broken.length - 1} more)` : ''}.`,
    {
      at: name,
      fix: 'Name a file that `baton export` wrote of a store whose `baton verify-audit` is clean.',
      details: { broken },
    },
  );
}
