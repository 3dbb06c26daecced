import { BatonError } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import { moveRun, ended, settleRun } from '../apply/move-run.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import { earlierCommand } from '../read/commands.ts';
import { runOf } from '../read/runs.ts';
import { endWaits } from '../apply/end-waits.sql.ts';
import { runTasks } from '../apply/move-run.sql.ts';
import { lookNowStatement } from './look-now.sql.ts';
import { renewBaseStatement } from './renew-base.sql.ts';

/** Why tasks were given back unchanged, to wait for their next try. */
const waits = [
  'parked',
  'rate_limited',
  'provider_down',
  'state_full',
  'price_unknown',
  'budget',
  'released',
];

/** No new claims; running work continues. @throws CONFLICT for a run that has ended */
export const pauseRun =
  (db: Db): Store['runs']['pause'] =>
  (runId, by) =>
    moveRun(db, runId, {
      by,
      event: 'pause',
      next(run) {
        if (!ended.includes(run.status)) return { status: 'paused', reason: by.reason };
        throw new BatonError('CONFLICT', `Run ${run.slug} is ${run.status}.`, {
          fix: 'Only a run that has not ended can be paused.',
        });
      },
    });

/** Back to work, on the head of today when its base is what held it; what waits for its next try is tried now. @throws CONFLICT for a run that has ended; one that failed with tasks left has not */
export const resumeRun =
  (db: Db): Store['runs']['resume'] =>
  async (runId, { keepsBase = false, ...by }) => {
    if ((await earlierCommand(db, by.commandId)) !== null) return runOf(db, runId);
    // Before it runs again: a worker that claims at once must not find the base that was red.
    if (!keepsBase) await query(db, renewBaseStatement, [runId]);
    await moveRun(db, runId, {
      by,
      event: 'resume',
      async next(run) {
        if (run.status === 'paused') return { status: 'running', reason: null };
        if (!ended.includes(run.status)) return null;
        if (run.status === 'failed' && (await query(db, runTasks, [runId])).some(({ settled }) => !settled))
          return { status: 'running', reason: null };
        throw new BatonError('CONFLICT', `Run ${run.slug} is ${run.status}.`, {
          fix:
            run.status === 'failed'
              ? 'Retry its failed tasks with `baton retry`.'
              : 'Start a new run with `baton run`.',
        });
      },
    });
    if ((await query(db, lookNowStatement, [runId])).length > 0) db.wake('work');
    if (((await queryOne(db, endWaits, [runId, waits]))?.ended ?? 0) > 0) db.wake('work');
    return settleRun(db)(runId);
  };

/** Cancels all that is not settled; holders learn of it at their next renewal. Again while anything is left: its status says nothing of that. */
export const cancelRun =
  (db: Db): Store['runs']['cancel'] =>
  (runId, by) =>
    moveRun(db, runId, {
      by,
      event: 'cancel',
      cancel: true,
      async next(run) {
        if (run.status !== 'cancelled') return { status: 'cancelled', reason: by.reason };
        const isLeft = (await query(db, runTasks, [runId])).some(({ settled }) => !settled);
        return isLeft ? { status: 'cancelled', reason: run.statusReason } : null;
      },
    });

/** Ends a run before any work; its tasks stay as they are and none is claimed. */
export const failRun =
  (db: Db): Store['runs']['fail'] =>
  (runId, by) =>
    moveRun(db, runId, { by, event: 'fail', next: () => ({ status: 'failed', reason: by.reason }) });
