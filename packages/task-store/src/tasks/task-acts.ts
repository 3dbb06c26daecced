import { BatonError } from '@baton/contracts';
import type { z } from 'zod';
import type { Store } from '../api/store.ts';
import type { Actor, Speaker } from '../model/requests.ts';
import { apply } from '../apply/apply.ts';
import type { Change } from '../decide/change.ts';
import { orNotFound, query, queryOne, type Db } from '../db/query.ts';
import { cancelWaiting, unblock } from '../apply/follow-up.ts';
import { completionBudget } from '../decide/completion-budget.ts';
import { changeOf } from '../decide/to-change.ts';
import { startMoves } from '../decide/move-plan.ts';
import { triesAllowed } from '../decide/retry-policy.ts';
import { saying } from '../decide/saying.ts';
import type { Situation } from '../decide/situation.ts';
import { reopenRun } from '../apply/move-run.ts';
import { situationOfTasks } from '../apply/load-situation.sql.ts';
import { requestCancel } from './request-cancel.sql.ts';
import { runById } from '../read/runs.sql.ts';
import { earlierCommand } from '../read/commands.ts';
import { taskOf } from '../read/tasks.ts';

const decideTries = 12;

type RunRow = z.output<typeof runById.row>;

/** Cancels a task, all that depend on it and all below it; holders stop their agents first. */
export const cancelTask =
  (db: Db): Store['tasks']['cancel'] =>
  async (taskId, by) => {
    const task = await taskOf(db, taskId);
    // A command that changes nothing has been carried out, too: a repeat finds it, whatever has happened since.
    if (task.settled && by.commandId === undefined) return task;
    const asked = await query(db, requestCancel, [taskId, by.commandId ?? null, by.actor]);
    if (asked.length === 0) return taskOf(db, taskId);
    db.wake('work');
    await cancelWaiting(db, { taskIds: asked.map(({ id }) => id), actor: by.actor, reason: by.reason });
    return taskOf(db, taskId);
  };

/** @throws CONFLICT for a task that is not BLOCKED */
export const unblockTask =
  (db: Db): Store['tasks']['unblock'] =>
  async (taskId, by) => {
    const moved = await unblock(db, { taskIds: [taskId], ...by });
    const task = await taskOf(db, taskId);
    if (moved.length === 0 && (await earlierCommand(db, by.commandId)) !== null) return task;
    if (moved.length === 0)
      throw new BatonError('CONFLICT', `Task ${task.key} is ${task.status}, not BLOCKED.`, {
        fix: '`baton explain` says what moves it.',
      });
    await reopenRun(db, task.runId, by);
    return task;
  };

/**
 * FAILED→OPEN by a person's word: grants one try where none is left and reopens the run. A parent BLOCKED on this child goes
 * BLOCKED→OPEN→WAITING in the same transaction.
 * @throws CONFLICT for a task that is not FAILED, and in a cancelled run; RETRY_BUDGET_EXCEEDED when no try is left and no person asks
 */
export const retryTask =
  (db: Db): Store['tasks']['retry'] =>
  async (taskId, by) => {
    const first = await taskOf(db, taskId);
    for (let attempt = 0; attempt < decideTries; attempt++) {
      const run = orNotFound(await queryOne(db, runById, [first.runId]), `run ${first.runId}`);
      const change = await planRetry(db, taskId, by);
      if (change === null) {
        const task = await taskOf(db, taskId);
        throw new BatonError('CONFLICT', `Task ${task.key} is ${task.status}, not FAILED.`, {
          fix: 'Only a failed task can be retried.',
        });
      }
      await refuseInCancelled(db, { run, key: first.key, by });
      const applied = await apply(db, { ...change, run: asRead(run) });
      if (applied.ok) await reopenRun(db, first.runId, by);
      if (applied.ok || applied.why === 'repeated') return taskOf(db, taskId);
    }
    throw new BatonError('STALE', `Task ${first.key} kept changing.`, { fix: 'Try again.' });
  };

/** A cancelled run stays so: what was made OPEN in it would never be claimed. */
async function refuseInCancelled(
  db: Db,
  { run, key, by: { commandId } }: { run: RunRow; key: string; by: Actor },
): Promise<void> {
  if (run.status !== 'cancelled') return;
  if ((await earlierCommand(db, commandId)) !== null) return;
  throw new BatonError('CONFLICT', `Task ${key} belongs to ${run.slug}, which was cancelled.`, {
    fix: 'Start a new run with `baton run`.',
  });
}

/** A run that does not move, and must not have moved: one that is cancelled at the same moment makes the change stale. */
function asRead({ id, seq, statusReason, finishedAt }: RunRow): NonNullable<Change['run']> {
  return { id, seq, patch: { statusReason, finishedAt } };
}

async function planRetry(db: Db, taskId: string, by: Speaker): Promise<Change | null> {
  const row = await queryOne(db, situationOfTasks, [[taskId]]);
  const known =
    by.commandId === undefined ? {} : { command: { id: by.commandId, actor: by.actor, answer: { taskId } } };
  // The same command again: let the database find its answer.
  if (row === null || row.task.status !== 'FAILED')
    return (await earlierCommand(db, by.commandId)) === null ? null : known;
  const { task } = row;
  const parent = task.parentId === null ? null : await queryOne(db, situationOfTasks, [[task.parentId]]);
  const blocked =
    parent?.task.status === 'BLOCKED' && (await isBlockedOn(db, parent.task.id, taskId)) ? parent.task : null;
  const situation: Situation = {
    now: row.now,
    session: null,
    items: [],
    others: blocked === null ? [task] : [task, blocked],
  };
  const plan = startMoves(situation, { actor: by.actor, reason: by.reason, transitionReason: 'retry' });
  plan.task({ task }, 'OPEN', saying(by.say));
  const budget = task.lineage ? completionBudget(task.lineage) : { spent: 0, limit: 1 };
  const short = Math.max(
    task.unpaidTries ?? 0,
    task.tries + 1 - triesAllowed(task),
    budget.spent + 1 - budget.limit,
  );
  if (short > 0 && !isPerson(by))
    throw new BatonError('RETRY_BUDGET_EXCEEDED', `${by.actor} may not grant task ${taskId} more tries.`, {
      fix: 'A person grants one with `baton retry`.',
      details: { tries: task.tries, attempts: budget.spent },
    });
  plan.patchTask(
    { task },
    {
      settled: false,
      cancelRequested: false,
      notBefore: null,
      setbacks: 0,
      grantedTries: task.grantedTries + short,
    },
  );
  if (blocked !== null) {
    plan.task({ task: blocked }, 'OPEN');
    plan.task({ task: blocked }, 'WAITING_FOR_SUBTASKS');
    plan.patchTask({ task: blocked }, { blockedOn: null });
  }
  return { ...changeOf(plan.planned, situation), ...known };
}

/** Operators, and holders of their keys. */
function isPerson({ actor }: Actor): boolean {
  return actor.startsWith('operator:') || actor.startsWith('api:');
}

async function isBlockedOn(db: Db, parentId: string, childId: string): Promise<boolean> {
  return (await taskOf(db, parentId)).blockedOn?.task === childId;
}
