import { BatonError } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import type { Actor } from '../model/requests.ts';
import { apply } from './apply.ts';
import { cancelWaiting } from './follow-up.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import { moneyOf } from '../decide/budget-room.ts';
import { earlierCommand } from '../read/commands.ts';
import { runOf } from '../read/runs.ts';
import { type NextRun, runOutcome } from '../decide/run-outcome.ts';
import { runTasks } from './move-run.sql.ts';
import { runAtWork, runById } from '../read/runs.sql.ts';
import type { z } from 'zod';
import type { Change, Moment } from '../decide/change.ts';
import type { Run, RunStatus } from '../model/run.ts';

const decideTries = 12;
export const ended: RunStatus[] = ['done', 'failed', 'cancelled'];

/** Fingerprint of a run's tasks, which every change of them alters: how many there are, and how many moves they have made. */
const seenOf = (tasks: readonly { version: number }[]): string =>
  `${tasks.length} ${tasks.reduce((sum, { version }) => sum + version, 0)}`;

/** `seen`: the tasks that it was decided on; with others it is decided again. */
type Decided = NextRun & { seen?: string };

interface RunMove {
  by: Actor;
  event: string;
  /** Decides on the newest state; may refuse by throwing. */
  next(run: z.output<typeof runById.row>): Promise<Decided | null> | Decided | null;
  cancel?: true;
  /** A process that keeps overtaking it does the same: it may be left to that one. */
  mayBeLeft?: true;
}

/** Moves a run by compare-and-set; a miss decides again. */
export async function moveRun(db: Db, runId: string, move: RunMove): Promise<Run> {
  for (let attempt = 0; attempt < decideTries; attempt++) {
    const run = await queryOne(db, runById, [runId]);
    if (run === null || (await earlierCommand(db, move.by.commandId)) !== null) return runOf(db, runId);
    const wanted = await move.next(run);
    // A command that changes nothing has been carried out, too: a repeat finds it, whatever has happened since.
    const next =
      wanted === null && move.by.commandId !== undefined
        ? { status: run.status, reason: run.statusReason }
        : wanted;
    const isSame = next?.status === run.status && next.reason === run.statusReason;
    if (next === null || (isSame && move.cancel === undefined && move.by.commandId === undefined)) return run;
    const moved = next.status !== run.status;
    const seq = moved ? run.seq + 1 : run.seq;
    const finishedAt: Moment = ended.includes(next.status) ? (moved ? 'now' : run.finishedAt) : null;
    const change: Change = {
      run: {
        id: runId,
        seq: run.seq,
        patch: { status: next.status, statusReason: next.reason, seq, finishedAt },
        ...(move.cancel && wanted !== null && { cancel: true as const }),
        ...(wanted?.seen !== undefined && { seen: wanted.seen }),
      },
      events: moved ? [eventOf(run, next.status, { move, seq })] : [],
      ...(move.by.commandId === undefined
        ? {}
        : { command: { id: move.by.commandId, actor: move.by.actor, answer: { runId } } }),
    };
    const applied = await apply(db, change);
    if (applied.ok && applied.cascade.length > 0)
      await cancelWaiting(db, { taskIds: applied.cascade, actor: move.by.actor, reason: move.by.reason });
    if (applied.ok || applied.why === 'repeated') return runOf(db, runId);
  }
  if (move.mayBeLeft) return runOf(db, runId);
  throw new BatonError('STALE', `Run ${runId} kept changing.`, { fix: 'Try again.' });
}

function eventOf(run: Run, to: RunStatus, { move, seq }: { move: RunMove; seq: number }) {
  return {
    machine: 'run' as const,
    version: 1,
    entityId: run.id,
    runId: run.id,
    taskId: null,
    seq,
    fromState: run.status,
    toState: to,
    event: move.event,
    alias: null,
    kind: 'move' as const,
    actor: move.by.actor,
    reason: move.by.reason,
    transitionReason: null,
    abortReason: null,
    trigger: null,
    metadata: {},
  };
}

/**
 * Computes the status from the tasks; a process that moves one at that moment settles the run after that. Of a run that somebody works on
 * nothing more is read. Source: docs/spec/store.md#runs.
 */
export const settleRun =
  (db: Db): Store['runs']['settle'] =>
  async (runId) =>
    (await queryOne(db, runAtWork, [runId])) ??
    moveRun(db, runId, {
      by: { actor: 'task_store', reason: 'computed from its tasks' },
      event: 'settle',
      mayBeLeft: true,
      async next(run) {
        const tasks = await query(db, runTasks, [runId]);
        const outcome = runOutcome({ run, tasks, money: moneyOf(run) });
        return outcome && { ...outcome, seen: seenOf(tasks) };
      },
    });

/** Reopens a run that has ended, is stuck or waits, since it has something to do again; a cancelled one only with `evenCancelled`. */
export async function reopenRun(
  db: Db,
  runId: string,
  by: Actor & { evenCancelled?: boolean },
): Promise<void> {
  const { actor, reason, evenCancelled = false } = by;
  await moveRun(db, runId, {
    by: { actor, reason },
    event: 'reopen',
    next: (run) =>
      ['done', 'failed', 'stuck', 'waiting', ...(evenCancelled ? ['cancelled'] : [])].includes(run.status)
        ? { status: 'running', reason: null }
        : null,
  });
}
