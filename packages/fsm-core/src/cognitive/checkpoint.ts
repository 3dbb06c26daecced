import type { CognitiveState } from '../machines/cognitive.ts';
import type { Snapshot, TransitionRecord } from '../record.ts';
import type { Accepted } from '../step.ts';
import {
  type ActionResult,
  EMPTY_CONTEXT,
  type Message,
  type PostTaskReflection,
  type TaskContext,
} from './context.ts';

/** The moments at which something is written. Source: docs/spec/kernel.md#checkpoints-binding. */
export type CheckpointTiming =
  | 'TASK_CREATED'
  | 'REASON_DONE'
  | 'TOOL_CALL_COMPLETED'
  | 'TOOL_CALL_FAILED'
  | 'NEED_MORE_INFO'
  | 'TASK_SUSPENDED'
  | 'TASK_COMPLETED'
  | 'REFLECTION_COMPLETE'
  | 'TASK_FAILED';

/** The whole context, at TASK_SUSPENDED, TASK_COMPLETED and TASK_FAILED. */
export interface FullCheckpoint {
  readonly kind: 'full';
  readonly timing: CheckpointTiming;
  readonly taskId: string;
  /** The move that the checkpoint follows. */
  readonly transition: TransitionRecord;
  readonly context: TaskContext;
}

/** What changed since the last checkpoint. */
export interface DeltaCheckpoint {
  readonly kind: 'delta';
  readonly timing: CheckpointTiming;
  readonly taskId: string;
  readonly transition: TransitionRecord;
  readonly changes: Readonly<Partial<TaskContext>>;
  readonly newMessages: readonly Message[];
  readonly newActions: readonly ActionResult[];
}

/** What the reflection after a task wrote; no move belongs to it. */
export interface ReflectionCheckpoint {
  readonly kind: 'reflection';
  readonly timing: 'REFLECTION_COMPLETE';
  readonly taskId: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly factsWritten: number;
  readonly hasEpisode: boolean;
  readonly assessment: string;
}

/** One line of a task's checkpoint log. */
export type Checkpoint = FullCheckpoint | DeltaCheckpoint | ReflectionCheckpoint;

/** What a delta holds even if it did not change. */
const NAMED_FIELDS: Readonly<Partial<Record<string, readonly (keyof TaskContext)[]>>> = {
  TASK_CREATED: ['inputText', 'source', 'inputMetadata'],
  REASON_DONE: ['plan', 'reasoning'],
  TOOL_CALL_COMPLETED: [],
  TOOL_CALL_FAILED: [],
  NEED_MORE_INFO: ['reasoning'],
};

/** Which checkpoint a move calls for, or null: not every move is written. */
export function checkpointTiming(record: TransitionRecord): CheckpointTiming | null {
  if (record.to === 'completed') return 'TASK_COMPLETED';
  if (record.to === 'failed') return 'TASK_FAILED';
  if (record.event === 'TASK_SUSPENDED') return 'TASK_SUSPENDED';
  return record.event in NAMED_FIELDS ? (record.event as CheckpointTiming) : null;
}

/** The entries after `before`, or null where the list was rewritten rather than appended to (by a compaction, say). */
function appended<T>(before: readonly T[], after: readonly T[]): readonly T[] | null {
  return before.every((entry, at) => entry === after[at]) ? after.slice(before.length) : null;
}

function deltaOf(
  timing: CheckpointTiming,
  transition: TransitionRecord,
  contexts: SavedAndCurrent,
): DeltaCheckpoint {
  const { saved, current } = contexts;
  const keys = Object.keys(current) as (keyof TaskContext)[];
  const newMessages = appended(saved.messages, current.messages);
  const newActions = appended(saved.actionsDone, current.actionsDone);
  const named = NAMED_FIELDS[timing] ?? [];
  const kept = keys.filter((key) => {
    if (key === 'messages') return newMessages === null;
    if (key === 'actionsDone') return newActions === null;
    return named.includes(key) || saved[key] !== current[key];
  });
  const changes: Partial<TaskContext> = Object.fromEntries(kept.map((key) => [key, current[key]]));
  const taskId = transition.entityId;
  return {
    kind: 'delta',
    timing,
    taskId,
    transition,
    changes,
    newMessages: newMessages ?? [],
    newActions: newActions ?? [],
  };
}

interface SavedAndCurrent {
  readonly saved: TaskContext;
  readonly current: TaskContext;
}

/**
 * Makes the checkpoint of a move, to be written after it; it carries the move.
 *
 * @param saved - the context at the last checkpoint that was written; default: the empty context
 * @returns null where docs/spec/kernel.md#checkpoints-binding asks for none
 */
export function checkpointOf(
  decision: Accepted<CognitiveState, string, TaskContext>,
  saved: TaskContext = EMPTY_CONTEXT,
): FullCheckpoint | DeltaCheckpoint | null {
  const { record, snapshot } = decision;
  const timing = checkpointTiming(record);
  if (timing === null) return null;
  if (timing in NAMED_FIELDS) return deltaOf(timing, record, { saved, current: snapshot.context });
  return { kind: 'full', timing, taskId: record.entityId, transition: record, context: snapshot.context };
}

/** Makes the checkpoint of a finished reflection. */
export function reflectionCheckpoint(
  taskId: string,
  { reflection, at }: { readonly reflection: PostTaskReflection; readonly at: number },
): ReflectionCheckpoint {
  return {
    kind: 'reflection',
    timing: 'REFLECTION_COMPLETE',
    taskId,
    at,
    factsWritten: reflection.facts.length,
    hasEpisode: reflection.episode !== null,
    assessment: reflection.assessment,
  };
}

/**
 * Folds a log: the last full context plus the deltas after it. A line written twice counts once (by seq).
 *
 * @returns the task's state at its last checkpoint, or null for a log without a move
 */
export function replayCheckpoints(log: readonly Checkpoint[]): Snapshot<CognitiveState, TaskContext> | null {
  let current: Snapshot<CognitiveState, TaskContext> | null = null;
  for (const line of log) {
    if (line.kind === 'reflection' || (current !== null && line.transition.seq <= current.seq)) continue;
    const { to, seq } = line.transition;
    const before: TaskContext = current === null ? EMPTY_CONTEXT : current.context;
    const context: TaskContext = line.kind === 'full' ? line.context : applyDelta(before, line);
    current = { entityId: line.taskId, state: to as CognitiveState, seq, context };
  }
  return current;
}

function applyDelta(context: TaskContext, delta: DeltaCheckpoint): TaskContext {
  const changed: TaskContext = { ...context, ...delta.changes };
  return {
    ...changed,
    messages: [...changed.messages, ...delta.newMessages],
    actionsDone: [...changed.actionsDone, ...delta.newActions],
  };
}
