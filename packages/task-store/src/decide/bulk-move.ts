import type { Change } from './change.ts';
import { changeOf } from './to-change.ts';
import { startMoves, type MovePlan } from './move-plan.ts';
import type { Mover } from './plan-state.ts';
import type { AttemptState, Situation, TaskState } from './situation.ts';

/** A task with its open attempt, if any. */
export interface Candidate {
  task: TaskState;
  attempt: AttemptState | null;
  /** An intent to land it is written: the landing is finished first. */
  landing: boolean;
}

/** A move of many tasks at once. */
export interface BulkMove {
  taskIds: string[];
  actor: string;
  reason: string;
  commandId?: string | undefined;
  /** Plans the move of one task; false leaves it where it is. */
  move(plan: MovePlan, candidate: Candidate & Mover): boolean;
}

/** The one change that moves those of these tasks that can be moved; pure. */
export function planBulk(
  rows: (Candidate & { now: Date })[],
  bulk: Omit<BulkMove, 'taskIds'>,
): { change: Change; moved: string[] } {
  const situation: Situation = {
    now: rows[0]?.now ?? new Date(0),
    session: null,
    items: rows.flatMap(({ task, attempt }) => (attempt === null ? [] : [{ task, attempt }])),
    others: rows.flatMap(({ task, attempt }) => (attempt === null ? [task] : [])),
  };
  const plan = startMoves(situation, { actor: bulk.actor, reason: bulk.reason });
  const moved = rows.filter((row) => bulk.move(plan, row)).map(({ task }) => task.id);
  if (plan.planned.refused !== null) return { change: {}, moved: [] };
  const change = changeOf(plan.planned, {
    ...situation,
    items: situation.items.filter((item) => moved.includes(item.task.id)),
  });
  return { change, moved };
}
