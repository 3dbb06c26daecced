import type { BenchServer } from '../store-bench/server.ts';
import { databaseOf } from '../store-bench/server.ts';

/** Loads what counts; it counts nothing until a database asks for it. */
export const countingSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'none',
};

/** Statements that begin alike are one kind. */
const shown = 160;

/** Counts the statements that clients send to a database, one by one. */
export interface StatementCounts {
  /** How often each was sent since the counting began. */
  sent(): Promise<Map<string, number>>;
}

const sentSql = `SELECT regexp_replace(btrim(query), '\\s+', ' ', 'g') AS text, calls::float8 AS calls FROM pg_stat_statements s
  JOIN pg_database d ON d.oid = s.dbid WHERE d.datname = $1 AND s.toplevel ORDER BY calls DESC`;

/** Lets the server count what is sent to `url` by sessions that are opened from now on; `observer` is another database of it. */
export async function countStatements(
  server: BenchServer,
  { url, observer }: { url: string; observer: string },
): Promise<StatementCounts> {
  await server.sql(observer, 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await server.sql(observer, `ALTER DATABASE ${databaseOf(url)} SET pg_stat_statements.track = 'top'`);
  return {
    async sent() {
      const rows = await server.sql(observer, sentSql, [databaseOf(url)]);
      const sent = new Map<string, number>();
      for (const { text, calls } of rows) {
        const start = String(text).slice(0, shown);
        sent.set(start, (sent.get(start) ?? 0) + Number(calls));
      }
      return sent;
    },
  };
}
