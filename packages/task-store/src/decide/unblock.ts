import type { BulkMove } from './bulk-move.ts';
import { saying } from './saying.ts';

/** The move BLOCKED→OPEN of each that still is. */
export function unblockMove(options: {
  taskIds: string[];
  actor: string;
  reason: string;
  say?: string | undefined;
  commandId?: string | undefined;
}): BulkMove {
  const { say, ...bulk } = options;
  return {
    ...bulk,
    move(plan, item) {
      if (plan.taskStatus(item) !== 'BLOCKED') return false;
      plan.task(item, 'OPEN', saying(say));
      plan.patchTask(item, { blockedOn: null, notBefore: null });
      return true;
    },
  };
}
