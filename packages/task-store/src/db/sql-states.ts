import type { ErrorCode } from '@baton/contracts';

/** What a SQLSTATE means for a user of Baton. */
export interface Meaning {
  code: ErrorCode;
  /** Said before the message of Postgres; empty: that says all. */
  says: string;
  fix: string;
}

const again = 'the same call may be repeated.';

const ended: Meaning = {
  code: 'DATABASE_UNREACHABLE',
  says: 'Postgres ended the connection',
  fix: `Start Postgres where it was stopped; ${again}`,
};
const closed: Meaning = {
  code: 'DATABASE_UNREACHABLE',
  says: 'Postgres takes no connection',
  fix: `Wait until the server has started, or open the database again (ALTER DATABASE … ALLOW_CONNECTIONS true); ${again}`,
};
const gone: Meaning = {
  code: 'DATABASE_LOGIN',
  says: '',
  fix: 'Create the database or correct its name in DATABASE_URL.',
};
/** Cancelled, and the limits of transactions and idle sessions. */
const interrupted: Meaning = {
  code: 'DATABASE_INTERRUPTED',
  says: 'Postgres ended a statement early',
  fix: 'Repeat the call. If it happens again, the log of Postgres shows who cancels, or a pooler in between sets a limit.',
};
/** Nothing was changed: the statement failed as a whole. */
const locked: Meaning = {
  code: 'DATABASE_INTERRUPTED',
  says: 'A statement waited too long for a lock and had no effect',
  fix: `See which program holds it: \`SELECT pid, query FROM pg_stat_activity WHERE pid IN (SELECT unnest(pg_blocking_pids(pid)) FROM pg_stat_activity)\`; ${again}`,
};
const missing: Meaning = {
  code: 'MIGRATION_FAILED',
  says: 'The database is not migrated',
  fix: 'Call `migrate(url)` of @baton/task-store first, with this version of it.',
};

/** A function or column that this version knows is not there. */
const otherSchema: Meaning = {
  code: 'MIGRATION_FAILED',
  says: 'The database has the schema of another version of Baton',
  fix: 'Restart this program with the version that migrated the database; the start of another one says what to do.',
};

/** Left out, or not of the kind that the statement takes: no id, no date, too large a number. */
const malformed: Meaning = {
  code: 'INVALID_INPUT',
  says: 'A value of the call is none that can be there',
  fix: 'Give ids as the store gave them; `runs.find` and `tasks.find` take names and beginnings of ids.',
};

const states: Readonly<Record<string, Meaning>> = {
  '22003': malformed,
  '22007': malformed,
  '22008': malformed,
  '22P02': malformed,
  '23502': malformed,
  '25006': {
    code: 'DATABASE_READ_ONLY',
    says: 'Postgres takes no writes',
    fix: 'Name the primary in DATABASE_URL: a standby, and a server that is set to read only, take none.',
  },
  '25P03': interrupted,
  '25P04': interrupted,
  '3D000': gone,
  '3F000': missing,
  '42703': otherSchema,
  '42704': otherSchema,
  '42883': otherSchema,
  '42501': {
    code: 'DATABASE_DENIED',
    says: 'Postgres denied a right',
    fix: 'Make the user of DATABASE_URL the owner of the database and its tables. A parameter that it may not set is taken back with ALTER DATABASE … RESET or ALTER ROLE … RESET.',
  },
  '42P01': missing,
  '53100': {
    code: 'DATABASE_FULL',
    says: 'The disk of the Postgres server is full',
    fix: `Make room on the disk of the Postgres server; ${again}`,
  },
  '53300': {
    code: 'DATABASE_UNREACHABLE',
    says: 'Postgres has no connection free',
    fix: `Raise max_connections of the server (or the limit of the role or database), or end other programs that use it; ${again}`,
  },
  '55006': closed,
  '55P03': locked,
  '57P01': ended,
  '57P02': ended,
  '57P03': closed,
  '57P04': gone,
};

/** By the first two characters, for states that have no line of their own (PostgreSQL documentation, appendix A). */
const classes: Readonly<Record<string, Meaning>> = {
  '08': {
    code: 'DATABASE_UNREACHABLE',
    says: 'The connection to Postgres failed',
    fix: `Start Postgres or check DATABASE_URL; ${again}`,
  },
  '28': {
    code: 'DATABASE_LOGIN',
    says: 'Postgres refused the login',
    fix: 'Check user and password in DATABASE_URL, the role on the server (ALTER ROLE … LOGIN), and its pg_hba.conf.',
  },
  '53': {
    code: 'DATABASE_FULL',
    says: 'The Postgres server lacks memory or another resource',
    fix: `See the log of Postgres, and give its server more of what it lacks; ${again}`,
  },
  '57': interrupted,
  '58': {
    code: 'DATABASE_INTERRUPTED',
    says: 'The system below Postgres failed',
    fix: `See the log of Postgres, and the disk of its server; ${again}`,
  },
  BA: {
    code: 'ILLEGAL_TRANSITION',
    says: '',
    fix: 'The database refuses moves outside the tables; read the entity again and decide again.',
  },
  XX: {
    code: 'DATABASE_INTERRUPTED',
    says: 'Postgres itself failed',
    fix: `See the log of Postgres; ${again}`,
  },
};

/** What a SQLSTATE means; null: it is about the statement, or it is none. Pure. */
export function meaningOf(code: string, message: string): Meaning | null {
  if (!/^[0-9A-Z]{5}$/.test(code)) return null;
  // The same state is used for objects of all kinds.
  if (code === '55000') return message.includes('accepting connections') ? closed : null;
  return states[code] ?? classes[code.slice(0, 2)] ?? null;
}
