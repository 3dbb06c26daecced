import type { Change } from './change.ts';
import { changeValues } from './change-values.ts';
import { query, type Db } from './db.ts';
import { codeOf } from './pg-error.ts';
import { applyStatement } from './sql/apply.ts';

/** What became of a change. */
export type Applied =
  | {
      ok: true;
      /** Tasks that shall be cancelled because of it. */ cascade: string[];
      /** Dependents that became ready. */ released: number;
    }
  | { ok: false; why: 'stale' | 'fence' | 'landing' | 'approval' }
  | { ok: false; why: 'repeated'; /** The stored answer of the same command. */ answer: unknown };

/** How the door of changes says what it missed; nothing has happened then. */
const misses = new Map<string, 'stale' | 'fence' | 'landing' | 'approval'>([
  ['BA010', 'stale'],
  ['BA011', 'fence'],
  ['BA012', 'landing'],
  ['BA013', 'approval'],
]);

/** Applies a change in one statement, or nothing of it. Wakes whoever waits for work or events. */
export async function apply(db: Db, change: Change): Promise<Applied> {
  const applied = await tryApply(db, change);
  if (applied.ok) {
    db.poke('events');
    if (
      applied.released > 0 ||
      (change.tasks ?? []).some(({ patch }) => patch.status === 'OPEN' || patch.status === 'DONE') ||
      change.add ||
      change.run
    )
      db.poke('work');
  }
  return applied;
}

async function tryApply(db: Db, change: Change): Promise<Applied> {
  try {
    const [row] = await query(db, applyStatement, changeValues(change));
    if (row === undefined) throw new Error('the door of changes gave no row');
    return row.answer;
  } catch (error) {
    const why = misses.get(codeOf((error as Error).cause));
    if (why === undefined) throw error;
    return { ok: false, why };
  }
}
