import { cancelWaiting } from './cancel.ts';
import type { Change } from './change.ts';
import { query, type Db } from './db.ts';
import { settleParents } from './parents.ts';
import { blockedOnTasks } from './sql/upkeep-selects.ts';
import { moveTasks } from './task-moves.ts';

/** What a change may bring about beyond its own transaction. */
export interface Consequences {
  change: Change;
  /** Tasks that shall be cancelled because of it. */
  cascade: string[];
  /** Parents of the tasks that moved. */
  parents: string[];
  actor: string;
}

/**
 * Carries on what a change began: cancels what shall be, moves parents, unblocks what waited. Each is durable in the rows
 * already, so that the sweep does the same when this process dies in between.
 */
export async function followUp(db: Db, consequences: Consequences): Promise<void> {
  const { change, cascade, parents, actor } = consequences;
  if (cascade.length > 0) await cancelWaiting(db, { taskIds: cascade, actor });
  const ended = (change.tasks ?? []).filter(({ patch }) => patch.settled === true);
  if (ended.length > 0 && parents.length > 0) await settleParents(db, { parentIds: parents, actor });
  const closed = ended.filter(({ patch }) => patch.status === 'CLOSED').map(({ id }) => id);
  if (closed.length === 0) return;
  const waiting = await query(db, blockedOnTasks, [closed]);
  if (waiting.length > 0)
    await unblock(db, {
      taskIds: waiting.map(({ id }) => id),
      actor,
      reason: 'what it waited for is closed',
    });
}

/** BLOCKED→OPEN for each that still is. */
export async function unblock(
  db: Db,
  options: { taskIds: string[]; actor: string; reason: string; commandId?: string | undefined },
): Promise<string[]> {
  return moveTasks(db, {
    ...options,
    move(plan, item) {
      if (plan.taskStatus(item) !== 'BLOCKED') return false;
      plan.task(item, 'OPEN');
      plan.patchTask(item, { blockedOn: null, notBefore: null });
      return true;
    },
  });
}
