import { BatonError } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import { apply } from '../apply/apply.ts';
import { orNotFound, query, queryOne, type Db } from '../db/query.ts';
import { followUp } from '../apply/follow-up.ts';
import { approvalChange } from '../decide/landing-changes.ts';
import { situationOfTasks } from '../apply/load-situation.sql.ts';
import { readCursor } from '../db/page.ts';
import { earlierCommand } from '../read/commands.ts';
import { taskOf } from '../read/tasks.ts';
import { approvalById, selectApprovals } from './approvals.sql.ts';

const decideTries = 12;

export const approvals =
  (db: Db): Store['approvals']['list'] =>
  async ({ runId, status, after, limit }) =>
    query(db, selectApprovals, [runId ?? null, status ?? null, readCursor(after), limit ?? null]);

/** A named person's decision, once. @throws NOT_FOUND, CONFLICT on a wrong or used nonce or a void approval, INVALID_INPUT without a name or reason */
export const decideApproval =
  (db: Db): Store['approvals']['decide'] =>
  async (id, options) => {
    const { approve, nonce, actor, reason, say, commandId } = options;
    if (actor === '' || reason === '')
      throw new BatonError('INVALID_INPUT', 'A decision carries a name and a reason.', { fix: 'Give both.' });
    for (let attempt = 0; attempt < decideTries; attempt++) {
      const approval = orNotFound(await queryOne(db, approvalById, [id]), `approval ${id}`);
      const row = await queryOne(db, situationOfTasks, [[approval.taskId]]);
      if ((await earlierCommand(db, commandId)) !== null) return taskOf(db, approval.taskId);
      if (approval.status !== 'waiting' || approval.nonce !== nonce || row === null || row.attempt === null)
        break;
      const item = { task: row.task, attempt: row.attempt };
      const change = approvalChange(item, { now: row.now, actor, reason, say, id, nonce, approve });
      if (change === null) break;
      if (commandId !== undefined) change.command = { id: commandId, actor, answer: { taskId: row.task.id } };
      const applied = await apply(db, change);
      if (applied.ok) {
        await followUp(db, {
          change,
          cascade: applied.cascade,
          parents: row.task.parentId === null ? [] : [row.task.parentId],
          actor,
        });
        return taskOf(db, row.task.id);
      }
      if (applied.why === 'approval') break;
    }
    throw new BatonError('CONFLICT', `Approval ${id} is decided, void, or its nonce is another.`, {
      fix: 'Read the approval again and quote its nonce.',
    });
  };
