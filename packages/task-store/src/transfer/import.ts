import { createHash } from 'node:crypto';
import { BatonError } from '@baton/contracts';
import { z } from 'zod';
import type { Store } from '../api/store.ts';
import { inTransaction, query, type Db } from '../db/query.ts';
import type { Statement } from '../db/statement.ts';
import { auditChecks } from '../history/audit.sql.ts';
import * as past from './first-record.ts';
import { inOrder, migrationsStatement, quoted, tablesStatement, type StoreTable } from './tables.ts';

const rowsAtOnce = 500;
const header = z.strictObject({
  format: z.literal('baton-export'),
  version: z.union([z.literal(1), z.literal(2), z.literal(3)]),
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
  (db: Db): Store['transfer']['importLines'] =>
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
      await run(lateChanges, []);
      await refuseBroken(run, name);
      return { rows };
    });
  };

const plain = (name: string, text: string) =>
  ({ name, text, row: z.unknown(), readonly: false, isLong: true }) satisfies Statement;

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
  let isPast = false;
  const flush = async () => {
    if (table !== undefined && waiting.length > 0) await insert(run, { table, lines: waiting });
    rows += waiting.length;
    waiting = [];
  };
  for await (const line of options.lines) {
    if (line.number === 1) {
      isPast = refuseOther(line, options) < 3;
      for (const statement of isPast ? past.beforeRows : []) await run(statement, []);
      continue;
    }
    const next = marker.safeParse(line.value);
    if (next.success && !tables.find(({ columns }) => columns.length === 1 && columns[0] === 'table')) {
      await flush();
      table = tableOf(next.data.table, { tables, isPast });
      if (table === undefined) throw invalid(name, line.number, `there is no table ${next.data.table}`);
      continue;
    }
    if (table === undefined) throw invalid(name, line.number, 'a row before the name of its table');
    if (table.columns.length === 0) continue;
    const missing = missingOf(line, { table, name });
    waiting.push(missing.length === 0 ? line.text : withLater(line.text, { table, missing }));
    if (waiting.length >= rowsAtOnce) await flush();
  }
  await flush();
  if (!isPast) return rows;
  refuseWorst(await run(past.unknownEvents, []), name);
  refuseWorst(await run(past.brokenLog, []), name);
  for (const statement of past.afterRows) await run(statement, []);
  return rows;
}

/** A table by its name in the file; of past records also those that are none any more, or of another shape. */
function tableOf(
  name: string,
  { tables, isPast }: { tables: readonly StoreTable[]; isPast: boolean },
): StoreTable | undefined {
  if (!isPast || !past.isPastTable(name)) return tables.find((each) => each.name === name);
  const held = past.heldOf(name);
  const columns = held === null ? [] : ['line'];
  return { name: held ?? name, columns, generated: [], key: [], needs: [], serials: [] };
}

/** The version of the file, of a store with the tables of this program. */
function refuseOther(line: Line, { own, name }: { own: readonly string[]; name: string }): 1 | 2 | 3 {
  const head = header.safeParse(line.value);
  if (!head.success)
    throw invalid(name, line.number, 'this is no export of a version that this program knows');
  const { version, migrations } = head.data;
  if (version !== 3 && past.isPastRecord(version, migrations)) return version;
  const differs = (a: readonly string[], b: readonly string[]) => a.find((each) => !b.includes(each));
  const theirs = differs(migrations, own);
  const ours = differs(own, migrations);
  if (theirs === undefined && ours === undefined && version === 3) return 3;
  throw new BatonError(
    'RECORD_FILE_INVALID',
    `${name} was written by ${theirs === undefined || version !== 3 ? 'an older' : 'a newer'} version of Baton (${theirs ?? ours ?? ''}).`,
    {
      at: `${name}:1`,
      fix: 'Import it with the version that wrote it, then update.',
    },
  );
}

/** Columns that came after the first exports of this version, by table, with what earlier rows have there as JSON. */
const laterColumns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  landing: { place: '1' },
  attempt: { review: 'null', metered_reviewer: 'null' },
  usage_entry: { reviewer: 'null' },
  worker: { expected_conflicts: '[]' },
};

/** The columns that a row of an earlier export lacks. @throws RECORD_FILE_INVALID for what is no row of the table */
function missingOf(
  { value, number }: Line,
  { table, name }: { table: StoreTable; name: string },
): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(name, number, `no row of ${table.name}`);
  if (isHeld(table)) return [];
  const keys = Object.keys(value);
  const unknown = keys.find((key) => !table.columns.includes(key));
  if (unknown !== undefined) throw invalid(name, number, `${table.name} has no "${unknown}"`);
  const missing = table.columns.filter((column) => !keys.includes(column));
  const lacking = missing.find((column) => laterColumns[table.name]?.[column] === undefined);
  if (lacking !== undefined) throw invalid(name, number, `the row of ${table.name} lacks "${lacking}"`);
  return missing;
}

/** The text of a row with the columns that came later: its numbers stay as exact as they are written. */
function withLater(
  text: string,
  { table, missing }: { table: StoreTable; missing: readonly string[] },
): string {
  const later = missing.map((column) => `"${column}":${laterColumns[table.name]?.[column] ?? 'null'},`);
  return text.replace('{', `{${later.join('')}`);
}

/** Are its rows put there as they are in the file? */
const isHeld = ({ columns }: StoreTable): boolean => columns.length === 1 && columns[0] === 'line';

async function insert(run: Run, { table, lines }: { table: StoreTable; lines: string[] }): Promise<void> {
  const into = quoted(table.name);
  const columns = table.columns.map(quoted);
  const rows = isHeld(table)
    ? `SELECT x.line::jsonb FROM unnest($1::text[]) AS x(line)`
    : `SELECT ${columns.map((column) => `r.${column}`).join(', ')} FROM unnest($1::text[]) WITH ORDINALITY x(line, n)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${into}, x.line::jsonb) r ORDER BY x.n`;
  const text = `INSERT INTO ${into} (${columns.join(', ')}) OVERRIDING SYSTEM VALUE ${rows}`;
  await run(plain(`import-rows-${table.name}`, text), [lines]);
}

async function continueSerials(run: Run, { name, serials }: StoreTable): Promise<void> {
  for (const column of serials) {
    const text = `SELECT setval(pg_get_serial_sequence('${quoted(name)}', '${column}'), greatest(max(${quoted(column)}), 1), max(${quoted(column)}) IS NOT NULL) FROM ${quoted(name)}`;
    await run(plain(`import-serial-${name}-${column}`, text), []);
  }
}

/** Changes that committed too late for the log of the export: the next look at the log finds them. */
const lateChanges = plain(
  'import-late-changes',
  `INSERT INTO log_gap (ids, until) SELECT late.ids, pg_current_xact_id() FROM (
     SELECT range_agg(int8range(c.id, c.id, '[]')) AS ids FROM change c
     WHERE c.id <= (SELECT max(l.seen) FROM log_entry l)
       AND NOT EXISTS (SELECT 1 FROM log_entry l CROSS JOIN LATERAL unnest(l.ids) AS i(id) WHERE i.id = c.id)) late
   WHERE late.ids IS NOT NULL`,
);

/** Changes that are no step, and tasks that closed without a landing: what the functions of the schema would have refused. */
const illegal = {
  name: 'import-illegal',
  text: `SELECT 'change' AS machine, c.id::text AS "entityId", 0 AS seq, 'no step of the dictionary' AS what FROM change c
      WHERE NOT EXISTS (SELECT 1 FROM step s WHERE s.id = c.step)
    UNION ALL SELECT 'task', t.id::text, t.version, 'closed without a landing' FROM task t WHERE t.status = 'CLOSED' AND NOT EXISTS (
      SELECT 1 FROM landing l JOIN verdict v ON v.id = l.verdict_id WHERE l.task_id = t.id AND l.confirmed_at IS NOT NULL AND v.passed AND v.tree = l.tree)
    LIMIT 20`,
  row: z.object({ machine: z.string(), entityId: z.string(), seq: z.number(), what: z.string() }),
  readonly: true,
  isLong: true,
} satisfies Statement;

async function refuseBroken(run: Run, name: string): Promise<void> {
  const broken: Broken[] = [];
  for (const check of [...auditChecks, illegal]) broken.push(...(await run(check, [])));
  refuseWorst(broken, name);
}

type Broken = z.output<typeof illegal.row>;

function refuseWorst(broken: readonly Broken[], name: string): void {
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
