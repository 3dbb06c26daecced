import pg from 'pg';
import { databaseOf } from './server.ts';

/** One statement that the store sent, with what it sent and got. */
export interface Captured {
  text: string;
  values: readonly unknown[];
  rows: readonly Record<string, unknown>[];
}

interface Query {
  text: string;
  values?: unknown[];
}

const isQuery = (value: unknown): value is Query =>
  typeof value === 'object' && value !== null && typeof (value as Query).text === 'string';

/**
 * Notes all statements that this process's `pg` clients send to one database while `work` runs, in order. Only the order of one
 * caller makes sense, so let nothing else run on that database meanwhile.
 */
export async function capture(url: string, work: () => Promise<void>): Promise<Captured[]> {
  const database = databaseOf(url);
  const captured: Captured[] = [];
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const original = prototype.query;
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first, second] = args;
    const query = isQuery(first) ? first : undefined;
    const text = query?.text ?? (typeof first === 'string' ? first : undefined);
    if (text === undefined || this.database !== database) return original.apply(this, args);
    const values = query?.values ?? (Array.isArray(second) ? (second as unknown[]) : []);
    const entry: { text: string; values: unknown[]; rows: Record<string, unknown>[] } = {
      text,
      values,
      rows: [],
    };
    captured.push(entry);
    const keep = (result: unknown) => {
      const { rows } = (result ?? {}) as { rows?: Record<string, unknown>[] };
      if (rows) entry.rows = rows;
    };
    // A pool sends its queries with a callback, others wait for a promise.
    const last = args[args.length - 1];
    if (typeof last === 'function') {
      const callback = last as (error: unknown, result: unknown) => void;
      const watched = (error: unknown, result: unknown) => {
        keep(result);
        callback(error, result);
      };
      return original.apply(this, [...args.slice(0, -1), watched]);
    }
    const answer = original.apply(this, args);
    if (answer instanceof Promise) return answer.then((result) => (keep(result), result as unknown));
    return answer;
  };
  try {
    await work();
  } finally {
    prototype.query = original;
  }
  return captured;
}
