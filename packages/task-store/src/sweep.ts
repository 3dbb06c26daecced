import type { Store } from './api.ts';
import { apply } from './apply.ts';
import { query, queryOne, type Db } from './db.ts';
import { cancelWaiting, followUp, unblock } from './follow-up.ts';
import { changeOf } from './moves/change-of.ts';
import { startPlan } from './moves/planner.ts';
import { leaseLapsed, sessionLost } from './moves/session-facts.ts';
import { settleParents } from './parents.ts';
import { situationOfSession } from './sql/load-situation.ts';
import * as due from './sql/upkeep-selects.ts';

/** A lease, where nobody says otherwise. Source: store.md §3. */
export const defaultLeaseMs = 120_000;

type Swept = Awaited<ReturnType<Store['sweep']>>;

/**
 * Makes the sweeper of one store. One that has just started, or was kept from running for half a lease (database down, laptop
 * asleep), waits one whole lease before it expires any: the holders were kept from renewing, too.
 */
export function createSweeper(db: Db): Store['sweep'] {
  let last: number | undefined;
  let quietUntil = 0;
  return async ({ actor, leaseMs = defaultLeaseMs }) => {
    const now = db.clock.monotonicMs();
    if (last === undefined || now - last > leaseMs / 2) quietUntil = now + leaseMs;
    last = now;
    const swept: Swept = { expired: [], orphaned: [], woken: 0, cancelled: 0 };
    if (now >= quietUntil) {
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
    return swept;
  };
}

/** What has become due: back-offs and blocks until a time. */
async function wake(db: Db, actor: string): Promise<number> {
  const { woken } = (await queryOne(db, due.wakeDue, [])) ?? { woken: 0 };
  const blocked = await query(db, due.blockedDue, []);
  const opened = await unblock(db, {
    taskIds: blocked.map(({ id }) => id),
    actor,
    reason: 'the time it waited for has come',
  });
  if (woken > 0) db.poke('work');
  return woken + opened.length;
}

/** "lease lapsed" for one session; a renewal in between wins. */
async function expire(db: Db, options: { sessionId: string; actor: string; swept: Swept }): Promise<void> {
  const situation = await queryOne(db, situationOfSession, [options.sessionId]);
  if (situation === null) return;
  const plan = startPlan(situation, {
    actor: options.actor,
    reason: 'the lease lapsed: its supervisor fell silent',
    abortReason: leaseLapsed.abortReason,
  });
  sessionLost(plan, situation.items, { loss: leaseLapsed, context: { situation, random: db.random() } });
  if (plan.planned.refused !== null) return;
  const change = changeOf(plan.planned, situation);
  // The process may live on where nobody sees it: what it may spend stays reserved until its deadline.
  change.attempts = (change.attempts ?? []).map((entry) =>
    'new' in entry
      ? entry
      : {
          ...entry,
          free: undefined,
          ...(entry.patch.fence === undefined ? {} : { ifLapsed: true as const }),
        },
  );
  const applied = await apply(db, change);
  if (!applied.ok) return;
  for (const { task } of situation.items) {
    const status = plan.planned.tasks.get(task.id)?.status;
    if (status === 'ORPHANED') options.swept.orphaned.push(task.id);
    else if (status !== undefined) options.swept.expired.push(task.id);
  }
  const parents = situation.items.flatMap(({ task }) => (task.parentId === null ? [] : [task.parentId]));
  await followUp(db, { change, cascade: applied.cascade, parents, actor: options.actor });
}
