import type { Store } from '../api/store.ts';
import { apply } from '../apply/apply.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import { cancelWaiting, followUp, unblock } from '../apply/follow-up.ts';
import { leaseExpiry } from '../decide/expire-lease.ts';
import { settleParents } from '../apply/settle-parents.ts';
import { reopenDelivered } from '../apply/reopen-delivered.ts';
import { settleRun } from '../apply/move-run.ts';
import { situationOfSession } from '../apply/load-situation.sql.ts';
import * as due from './due.sql.ts';
import { endWaits, waitsForRoom } from '../apply/end-waits.sql.ts';
import * as wakeDueSql from '../claims/wake-due.sql.ts';
import { freshWindow, nextWindow, type SweepWindow } from '../decide/sweep-window.ts';

/** A lease, by default. Source: docs/spec/store.md#leases. */
export const defaultLeaseMs = 120_000;

type Swept = Awaited<ReturnType<Store['claims']['sweep']>>;

/** Makes the sweeper of one store; when it may expire leases: {@link nextWindow}. */
export function createSweeper(db: Db): Store['claims']['sweep'] {
  let window: SweepWindow = freshWindow;
  return async ({ actor, leaseMs = defaultLeaseMs }) => {
    const next = nextWindow(window, db.clock.monotonicMs(), leaseMs);
    window = next;
    const swept: Swept = { expired: [], orphaned: [], woken: 0, cancelled: 0 };
    if (next.mayExpire) {
      const sessions = await query(db, due.lapsedSessions, []);
      for (const { id } of sessions) await expire(db, { sessionId: id, actor, swept });
      for (const { id } of await query(db, due.silentSessions, [leaseMs]))
        await expire(db, { sessionId: id, actor, swept });
    }
    swept.woken = await wake(db, actor);
    const cancels = await query(db, due.cancelsDue, []);
    swept.cancelled = (await cancelWaiting(db, { taskIds: cancels.map(({ id }) => id), actor })).length;
    const parents = await query(db, due.parentsDue, []);
    await settleParents(db, { parentIds: parents.map(({ id }) => id), actor });
    await query(db, due.markWantedPaths, []);
    await query(db, due.freeLostReservations, []);
    const shortOfBudget = await query(db, due.runsShortOfMoney, []);
    const outOfDate = await query(db, due.runsToSettle, []);
    for (const { id } of [...shortOfBudget, ...outOfDate]) await settleRun(db)(id);
    await reopenDelivered(db, { taskIds: null, by: { actor, reason: 'a delivery made tasks for it' } });
    return swept;
  };
}

/** What has become due, at once. */
export const wakeNow =
  (db: Db): Store['claims']['wake'] =>
  ({ actor }) =>
    wake(db, actor);

/** A state folder of this host has room: what waits for that waits no longer. */
export const roomFound =
  (db: Db): Store['claims']['roomFound'] =>
  async ({ host, runId = null }) => {
    let ended = 0;
    for (const { id } of await query(db, waitsForRoom, [host, runId]))
      ended += (await queryOne(db, endWaits, [id, ['state_full']]))?.ended ?? 0;
    if (ended > 0) db.wake('work');
    return ended;
  };

/** What has become due: back-offs and blocks until a time. */
async function wake(db: Db, actor: string): Promise<number> {
  const { woken } = (await queryOne(db, wakeDueSql.wakeDue, [])) ?? { woken: 0 };
  const blocked = await query(db, due.blockedDue, []);
  const opened = await unblock(db, {
    taskIds: blocked.map(({ id }) => id),
    actor,
    reason: 'what it waited for is there',
  });
  if (woken > 0) db.wake('work');
  return woken + opened.length;
}

/** "lease lapsed" for one session; a renewal in between wins. */
async function expire(db: Db, options: { sessionId: string; actor: string; swept: Swept }): Promise<void> {
  const situation = await queryOne(db, situationOfSession, [options.sessionId]);
  if (situation === null) return;
  const expiry = leaseExpiry(situation, { actor: options.actor, random: db.random() });
  if (expiry === null) return;
  const { change, planned } = expiry;
  const applied = await apply(db, change);
  if (!applied.ok) return;
  for (const { task } of situation.items) {
    const status = planned.tasks.get(task.id)?.status;
    if (status === 'ORPHANED') options.swept.orphaned.push(task.id);
    else if (status !== undefined) options.swept.expired.push(task.id);
  }
  const parents = situation.items.flatMap(({ task }) => (task.parentId === null ? [] : [task.parentId]));
  await followUp(db, { change, cascade: applied.cascade, parents, actor: options.actor });
}
