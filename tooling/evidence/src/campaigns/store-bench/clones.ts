import type { BenchServer } from './server.ts';

/** Many rows made out of one. */
export interface CloneOptions {
  /** The task to copy, with its first events. */
  taskId: string;
  copies: number;
  /** Sixteen bits that tell this seeding's ids from those of others. */
  batch: number;
}

interface Column {
  table: string;
  column: string;
  counted: boolean;
}

const columnsSql = `SELECT c.table_name AS "table", c.column_name AS "column", coalesce(c.column_default LIKE 'nextval%', false) OR c.is_identity = 'YES' AS counted
  FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
  WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.is_generated = 'NEVER' ORDER BY c.table_name, c.ordinal_position`;

/**
 * Seeds a queue of a size that would take too long to create task by task: copies one task that the store itself brought into
 * the wanted state, and whatever rows stand beside it (events, dependencies), under new ids and in the order of creation. No
 * triggers run; the log takes the copies' events in before this returns, so nothing tells a copy from a task that was created.
 */
export async function cloneTask(server: BenchServer, url: string, options: CloneOptions): Promise<void> {
  const columns = (await server.sql(url, columnsSql)) as unknown as Column[];
  await server.sql(url, `SET session_replication_role = replica`);
  try {
    for (const { table, key } of tablesAbout(columns)) {
      const own = columns.filter((column) => column.table === table && !column.counted);
      await server.sql(url, copySql(table, { key, columns: own.map(({ column }) => column), ...options }));
    }
  } finally {
    await server.sql(url, `SET session_replication_role = origin`);
  }
  while (Number((await server.sql(url, 'SELECT baton_log(10000) AS logged'))[0]?.['logged']) > 0);
  await server.sql(url, 'VACUUM (ANALYZE)');
}

/** Tables whose rows are about a task, by the column that says so. */
function tablesAbout(columns: readonly Column[]): { table: string; key: string }[] {
  const names = [...new Set(columns.map(({ table }) => table))];
  return names.flatMap((table) => {
    const own = new Set(columns.filter((column) => column.table === table).map(({ column }) => column));
    const key = table === 'task' ? 'id' : ['task_id', 'entity_id'].find((name) => own.has(name));
    return key === undefined ? [] : [{ table, key }];
  });
}

function copySql(
  table: string,
  { key, columns, taskId, copies, batch }: CloneOptions & { key: string; columns: readonly string[] },
): string {
  const prefix = `00000000-${batch.toString(16).padStart(4, '0')}-7000-8000-`;
  const id = `('${prefix}' || lpad(to_hex(n), 12, '0'))::uuid`;
  const values = columns.map((column) => {
    // A copy's id stands wherever the task's own stood.
    if (['id', 'task_id', 'entity_id'].includes(column))
      return `CASE WHEN s."${column}" = '${taskId}' THEN ${id} ELSE s."${column}" END`;
    if (table === 'task' && column === 'key') return `s.key || '-' || n`;
    if (table === 'task' && ['rank', 'created_at'].includes(column))
      return `s."${column}" + n * interval '1 microsecond'`;
    return `s."${column}"`;
  });
  const names = columns.map((column) => `"${column}"`).join(', ');
  return `INSERT INTO "${table}" (${names}) SELECT ${values.join(', ')} FROM "${table}" s, generate_series(1, ${copies}) n
    WHERE s."${key}" = '${taskId}' ORDER BY n`;
}
