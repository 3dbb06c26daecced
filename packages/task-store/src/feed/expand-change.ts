import type { z } from 'zod';
import type { FeedEvent } from '../model/event.ts';
import type { StepMove } from '../db/rows.ts';
import type { feedChange } from './feed.sql.ts';

/** A change as the feed reads it. */
export type FeedChange = z.output<typeof feedChange>;

/**
 * The events of a change in order, one for each of its moves, or for each task of a set: as `baton_events` of the database gives
 * them. `moves`: those of its step, in order. Pure.
 */
export function expandChange(change: FeedChange, moves: readonly StepMove[]): FeedEvent[] {
  const tasks = change.tasks ?? [{ id: change.taskId, key: change.taskKey, title: change.taskTitle }];
  return moves.flatMap((move) => tasks.map((task, at) => eventOf(change, { move, task, n: move.n + at })));
}

function eventOf(
  change: FeedChange,
  { move, task, n }: { move: StepMove; task: NonNullable<FeedChange['tasks']>[number]; n: number },
): FeedEvent {
  const { extra } = change;
  const isOfTask = move.machine === 'task' || move.machine === 'turn';
  const isCreated = move.kind === 'created';
  return {
    id: `${change.id}.${n}`,
    position: change.start + n - 1,
    machine: move.machine,
    version: move.version,
    entityId: entityOf(change, { move, taskId: task.id }),
    runId: change.runId,
    taskId: isOfTask ? task.id : null,
    seq: seqOf(change, move) - move.back,
    from: move.from ?? extra?.state ?? null,
    to: move.to ?? extra?.state ?? '',
    event: move.event ?? extra?.event ?? '',
    alias: move.alias,
    kind: move.kind,
    actor: change.actor,
    reason: change.reason,
    transitionReason: isCreated ? null : (move.transitionReason ?? change.transitionReason),
    abortReason: isCreated ? null : change.abortReason,
    trigger: move.trigger ?? extra?.trigger ?? null,
    metadata: metadataOf(change, move),
    at: change.at,
    taskKey: isOfTask ? task.key : null,
    taskTitle: isOfTask ? task.title : null,
  };
}

function entityOf(change: FeedChange, { move, taskId }: { move: StepMove; taskId: string | null }): string {
  const { machine } = move;
  const id =
    machine === 'task'
      ? taskId
      : machine === 'turn'
        ? change.attemptId
        : machine === 'run'
          ? change.runId
          : change.sessionId;
  return id ?? '';
}

function seqOf(change: FeedChange, { machine }: StepMove): number {
  const seqs = {
    task: change.taskSeq,
    turn: change.turnSeq,
    agent: change.agentSeq,
    execution: change.executionSeq,
    run: change.runSeq,
  };
  return seqs[machine] ?? 0;
}

function metadataOf({ attemptId, number, fence, sessionId, extra }: FeedChange, move: StepMove) {
  if (!move.carries) return {};
  return number === null ? (extra?.metadata ?? {}) : { attemptId, number, fence, sessionId };
}
