import { apply } from './apply.ts';
import type { Change } from '../decide/change.ts';
import { query, type Db } from '../db/query.ts';
import { changeOf } from '../decide/to-change.ts';
import { startMoves } from '../decide/move-plan.ts';
import { situationOfTasks } from './load-situation.sql.ts';
import { childrenOfTasks } from './follow-up.sql.ts';

/**
 * Moves parents whose children are settled: all CLOSED → DONE, under a fresh attempt that no agent works on; one CANCELLED or
 * FAILED for good → BLOCKED, naming it. Source: docs/spec/store.md#ends-of-tasks.
 */
export async function settleParents(db: Db, options: { parentIds: string[]; actor: string }): Promise<void> {
  for (const parentId of new Set(options.parentIds)) {
    // Overtaken by another child's end: that one, or the sweep, looks again.
    for (
      let attempt = 0;
      attempt < 5 && !(await settleParent(db, { parentId, actor: options.actor }));
      attempt++
    );
  }
}

async function settleParent(db: Db, options: { parentId: string; actor: string }): Promise<boolean> {
  const [row] = await query(db, situationOfTasks, [[options.parentId]]);
  if (row === undefined || row.task.status !== 'WAITING_FOR_SUBTASKS') return true;
  const children = await query(db, childrenOfTasks, [options.parentId]);
  const lost = children.find((child) => child.settled && child.status !== 'CLOSED');
  const allClosed = children.every((child) => child.status === 'CLOSED');
  if (lost === undefined && !allClosed) return true;
  const { task } = row;
  const situation = { now: row.now, session: null, items: [], others: [task] };
  const plan = startMoves(situation, {
    actor: options.actor,
    reason: lost === undefined ? 'all subtasks are closed' : `subtask ${lost.key} is ${lost.status}`,
  });
  if (lost !== undefined) {
    plan.task({ task }, 'BLOCKED');
    plan.patchTask(
      { task },
      { blockedOn: { task: lost.id, text: `Subtask ${lost.key} is ${lost.status}.` } },
    );
  } else {
    plan.task({ task }, 'DONE', { transitionReason: 'completed' });
    plan.patchTask({ task }, { fence: task.fence + 1 });
  }
  const change: Change = changeOf(plan.planned, situation);
  if (lost === undefined) change.attempts = [{ id: db.ids.uuid(), new: task.id, fence: task.fence + 1 }];
  const applied = await apply(db, change);
  return applied.ok;
}
