import type { Applied, Change } from '../decide/change.ts';
import { changeValues } from './change-values.ts';
import { query, type Db } from '../db/query.ts';
import type { GroupOptions } from '../db/group-commit.ts';
import { codeOf, isConnectionError } from '../db/pg-error.ts';
import { applyStatement } from './apply.sql.ts';

/** Groups on their way at once, the second while the first waits for a lock; and reports in one. */
const lanes = 2;
const spareAfterMs = 50;
const most = 64;

/** How `baton_change` says what it missed; nothing has happened then. */
const misses = new Map<string, 'stale' | 'fence' | 'landing' | 'approval'>([
  ['BA010', 'stale'],
  ['BA011', 'fence'],
  ['BA012', 'landing'],
  ['BA013', 'approval'],
]);

/**
 * Applies a change in one statement, or nothing of it. What holders report goes together with what others report at the same
 * moment. Wakes listeners for work or events.
 */
export async function apply(db: Db, change: Change): Promise<Applied> {
  const applied = await (isReport(change) ? db.applyReport(change) : tryApply(db, change));
  if (applied.ok) {
    db.wake('events');
    if (
      applied.released > 0 ||
      (change.tasks ?? []).some(({ patch }) => patch.status === 'OPEN' || patch.status === 'DONE') ||
      change.add ||
      change.run
    )
      db.wake('work');
  }
  return applied;
}

const reported: ReadonlySet<string | undefined> = new Set([undefined, 'CLAIMED', 'IN_PROGRESS', 'DONE']);

/** Whether a change moves rows and nothing else: no answer of its own, nothing that follows for other rows. */
function isReport({
  command,
  run,
  add,
  landing,
  approval,
  decision,
  tasks = [],
  attempts = [],
}: Change): boolean {
  return (
    [command, run, add, landing, approval, decision].every((part) => part === undefined) &&
    tasks.every(({ patch }) => reported.has(patch.status)) &&
    attempts.every((entry) => !('new' in entry))
  );
}

/** Groups of reports, see {@link createGroup}: one statement, one flush of the log. */
export const reportGroup = (db: Db): GroupOptions<Change, Applied> => ({
  lanes,
  spareAfterMs,
  most,
  kindOf: () => '',
  keysOf: ({ sessions = [], tasks = [], attempts = [] }) =>
    [...sessions, ...tasks, ...attempts].map(({ id }) => id),
  send: (changes) => applyTogether(db, changes),
});

/** One statement for all. When one of them misses, nothing has happened, and each goes by itself. */
async function applyTogether(
  db: Db,
  changes: readonly Change[],
): Promise<readonly (Applied | Promise<Applied>)[]> {
  const [only, ...others] = changes;
  if (only === undefined) return [];
  if (others.length === 0) return [await tryApply(db, only)];
  const applied = await tryApply(db, merged(changes)).catch(unlessUnreachable);
  if (applied?.ok) return changes.map(() => ({ ok: true, cascade: [], released: 0 }));
  return changes.map((change) => tryApply(db, change));
}

/** One call's mistake must not fail the others; a lost connection fails them all. */
function unlessUnreachable(error: unknown): null {
  if (isConnectionError(error)) throw error;
  return null;
}

/** Changes of different rows as one. */
function merged(changes: readonly Change[]): Change {
  return {
    events: changes.flatMap(({ events = [] }) => events),
    sessions: changes.flatMap(({ sessions = [] }) => sessions),
    tasks: changes.flatMap(({ tasks = [] }) => tasks),
    attempts: changes.flatMap(({ attempts = [] }) => attempts),
  };
}

async function tryApply(db: Db, change: Change): Promise<Applied> {
  try {
    const [row] = await query(db, applyStatement, changeValues(change));
    if (row === undefined) throw new Error('baton_change gave no row');
    return row.answer;
  } catch (error) {
    const why = misses.get(codeOf((error as Error).cause));
    if (why === undefined) throw error;
    return { ok: false, why };
  }
}
