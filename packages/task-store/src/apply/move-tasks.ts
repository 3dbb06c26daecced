import type { Change } from '../decide/change.ts';
import { apply } from './apply.ts';
import { query, type Db } from '../db/query.ts';
import { planBulk, type BulkMove } from '../decide/bulk-move.ts';
import { situationOfTasks } from './load-situation.sql.ts';

const chunk = 200;
const decideTries = 12;

/** What a change may bring about beyond its own transaction. */
export interface Consequences {
  change: Change;
  /** Tasks to cancel because of it. */
  cascade: string[];
  /** Parents of the tasks that moved. */
  parents: string[];
  actor: string;
}

/** What a bulk move did, and what has to be carried on from there. */
export interface MovedTasks {
  moved: string[];
  consequences: Consequences[];
}

/**
 * Moves tasks without a holder, in a few statements, each decided again when it was overtaken. Carries nothing on: that is
 * for `follow-up.ts`.
 */
export async function applyMoves(db: Db, bulk: BulkMove): Promise<MovedTasks> {
  const all: MovedTasks = { moved: [], consequences: [] };
  for (let at = 0; at < bulk.taskIds.length; at += chunk) {
    const part = await moveChunk(db, { ...bulk, taskIds: bulk.taskIds.slice(at, at + chunk) });
    all.moved.push(...part.moved);
    all.consequences.push(...part.consequences);
  }
  return all;
}

async function moveChunk(db: Db, bulk: BulkMove): Promise<MovedTasks> {
  for (let attempt = 0; attempt < decideTries; attempt++) {
    const rows = await query(db, situationOfTasks, [bulk.taskIds]);
    const { change, moved } = planBulk(rows, bulk);
    if (moved.length === 0) return { moved, consequences: [] };
    if (bulk.commandId !== undefined)
      change.command = { id: bulk.commandId, actor: bulk.actor, answer: { moved } };
    const applied = await apply(db, change);
    if (applied.ok) {
      const parents = rows.flatMap(({ task }) =>
        task.parentId === null || !moved.includes(task.id) ? [] : [task.parentId],
      );
      return { moved, consequences: [{ change, cascade: applied.cascade, parents, actor: bulk.actor }] };
    }
    if (applied.why === 'repeated') {
      return { moved: (applied.answer as { moved: string[] }).moved, consequences: [] };
    }
  }
  return { moved: [], consequences: [] };
}
