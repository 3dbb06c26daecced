import type { BulkMove } from './bulk-move.ts';

/** The move BLOCKED→OPEN of each that still is. */
export function unblockMove(options: {
  taskIds: string[];
  actor: string;
  reason: string;
  commandId?: string | undefined;
}): BulkMove {
  return {
    ...options,
    move(plan, item) {
      if (plan.taskStatus(item) !== 'BLOCKED') return false;
      plan.task(item, 'OPEN');
      plan.patchTask(item, { blockedOn: null, notBefore: null });
      return true;
    },
  };
}
