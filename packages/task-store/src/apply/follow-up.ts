import { cancelMove } from '../decide/cancel.ts';
import { query, type Db } from '../db/query.ts';
import { settleParents } from './settle-parents.ts';
import { blockedOnTasks } from './follow-up.sql.ts';
import type { BulkMove } from '../decide/bulk-move.ts';
import { unblockMove } from '../decide/unblock.ts';
import { applyMoves, type Consequences } from './move-tasks.ts';

/**
 * Carries on what a change began, and what that begins in turn: cancels what is to be cancelled, moves parents, unblocks
 * what waited. Each is durable in the rows already, so that the sweep does the same when this process dies in between.
 */
export async function followUp(db: Db, first: Consequences): Promise<void> {
  const waiting = [first];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    waiting.push(...(await carryOn(db, next)));
  }
}

/** Moves tasks and carries on from there. Returns those that moved. */
export async function moveTasks(db: Db, bulk: BulkMove): Promise<string[]> {
  const { moved, consequences } = await applyMoves(db, bulk);
  for (const next of consequences) await followUp(db, next);
  return moved;
}

/** Carries out requested cancels, see {@link cancelMove}. Returns those that moved. */
export function cancelWaiting(
  db: Db,
  options: { taskIds: string[]; actor: string; reason?: string },
): Promise<string[]> {
  return moveTasks(db, cancelMove(options));
}

/** BLOCKED→OPEN for each that still is. */
export function unblock(db: Db, options: Parameters<typeof unblockMove>[0]): Promise<string[]> {
  return moveTasks(db, unblockMove(options));
}

async function carryOn(db: Db, { change, cascade, parents, actor }: Consequences): Promise<Consequences[]> {
  const further: Consequences[] = [];
  if (cascade.length > 0) {
    further.push(...(await applyMoves(db, cancelMove({ taskIds: cascade, actor }))).consequences);
  }
  const ended = (change.tasks ?? []).filter(({ patch }) => patch.settled === true);
  if (ended.length > 0 && parents.length > 0) await settleParents(db, { parentIds: parents, actor });
  const closed = ended.filter(({ patch }) => patch.status === 'CLOSED').map(({ id }) => id);
  if (closed.length === 0) return further;
  const waiting = await query(db, blockedOnTasks, [closed]);
  if (waiting.length === 0) return further;
  const taskIds = waiting.map(({ id }) => id);
  const opened = await applyMoves(
    db,
    unblockMove({ taskIds, actor, reason: 'what it waited for is closed' }),
  );
  return [...further, ...opened.consequences];
}
