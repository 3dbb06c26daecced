import type { Change } from './change.ts';
import { query, type Db } from './db.ts';
import { snakeKeys } from './rows.ts';
import { jsonText } from './json-text.ts';
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

/** The JSON form of a change, with the names of the columns. */
function toJson(change: Change): string {
  return jsonText({
    command: change.command,
    run: change.run && { ...change.run, patch: snakeKeys(change.run.patch) },
    sessions: (change.sessions ?? []).map(({ patch, ...entry }) => ({
      ...snakeKeys(entry),
      patch: snakeKeys(patch),
    })),
    tasks: (change.tasks ?? []).map(({ patch, ...entry }) => ({
      ...snakeKeys(entry),
      patch: snakeKeys(patch),
    })),
    attempts: (change.attempts ?? []).map((entry) =>
      'new' in entry
        ? entry
        : { ...snakeKeys({ ...entry, patch: undefined }), patch: snakeKeys(entry.patch) },
    ),
    events: (change.events ?? []).map(snakeKeys),
    add: change.add && { ...change.add, edges: change.add.edges.map(snakeKeys) },
    landing: change.landing,
    approval: change.approval && snakeKeys(change.approval),
    decision: change.decision,
  });
}

/** Applies a change in one statement, or nothing of it. Wakes whoever waits for work or events. */
export async function apply(db: Db, change: Change): Promise<Applied> {
  const [row] = await query(db, applyStatement, [toJson(change)]);
  if (row === undefined) throw new Error('baton_apply gave no row');
  if (row.applied.ok) {
    db.poke('events');
    if (
      row.applied.released > 0 ||
      (change.tasks ?? []).some(({ patch }) => patch.status === 'OPEN' || patch.status === 'DONE') ||
      change.add ||
      change.run
    )
      db.poke('work');
  }
  return row.applied;
}
