import pg from 'pg';

import { isAt, type CrashGate } from './crash-points-gate.ts';
import type { CrashCatalogue } from './crash-points-names.ts';

type Query = (...args: unknown[]) => unknown;
type Answered = (error: unknown, result: unknown) => void;
interface Connection {
  /** Process of the server that serves it. */
  processID?: number | null;
}

/** Wraps every query of every connection that `pg` makes, Prisma's too. */
export function watchDatabase(gate: CrashGate, { statements }: CrashCatalogue): void {
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const real = prototype.query;
  prototype.query = function query(this: Connection, ...args: unknown[]): unknown {
    const point = statementPoint(args[0], statements);
    const strike = point === null ? null : gate.pass(point, { hasMiddle: true });
    if (strike === null) return real.apply(this, args);
    const blow = () => gate.strike(strike, this.processID);
    if (isAt(strike, 'before')) blow();
    // What is written in this turn is corked until the next: only then the server has the statement.
    if (isAt(strike, 'middle')) process.nextTick(() => process.nextTick(blow));
    if (!isAt(strike, 'after')) return real.apply(this, args);
    return struckAfter(args, { blow, run: (changed) => real.apply(this, changed) });
  };
}

function struckAfter(
  args: unknown[],
  { blow, run }: { blow: () => void; run: (args: unknown[]) => unknown },
): unknown {
  const last = args.at(-1);
  if (typeof last === 'function') {
    const answered: Answered = (error, result) => {
      blow();
      (last as Answered)(error, result);
    };
    return run([...args.slice(0, -1), answered]);
  }
  return (run(args) as Promise<unknown>).then((result) => {
    blow();
    return result;
  });
}

/** Names the point of a statement; null for one that only reads. */
export function statementPoint(first: unknown, statements: Readonly<Record<string, boolean>>): string | null {
  const config =
    typeof first === 'string' ? { text: first } : (first as { name?: string; text?: string } | null);
  const { name, text = '' } = config ?? {};
  if (name !== undefined && name !== '') return statements[name] === true ? null : `pg:${name}`;
  const begun = text
    .trimStart()
    .replace(/"public"\./g, '')
    .replace(/^(WITH|SELECT 1)\b.*$/is, '');
  const [, verb = '', table = ''] = /^(INSERT INTO|UPDATE|DELETE FROM) "?(\w+)"?/i.exec(begun) ?? [];
  if (verb !== '') return `pg:${(verb.split(' ')[0] ?? '').toLowerCase()} ${table}`;
  if (/\bpg_notify\b|^NOTIFY\b/i.test(begun)) return 'pg:notify';
  if (/\bpg_(try_)?advisory_(un)?lock/i.test(begun)) return 'pg:advisory lock';
  const [word = ''] = /^(BEGIN|COMMIT|ROLLBACK)\b/i.exec(begun) ?? [];
  if (word !== '') return `pg:${word.toLowerCase()}`;
  return /^(CREATE|ALTER|DROP|DO|TRUNCATE)\b/im.test(begun) ? 'pg:schema' : null;
}
