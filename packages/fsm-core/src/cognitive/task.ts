import { decide, type DecisionOf } from '../decide.ts';
import { cognitiveMachine, type CognitiveState } from '../machines/cognitive.ts';
import type { EventInput, Snapshot, StateTransition } from '../record.ts';
import { toStateTransition } from '../record.ts';
import type { AliasOf, EventOf } from '../definition.ts';
import type { Accepted, Refused } from '../step.ts';
import { EMPTY_CONTEXT, type TaskContext } from './context.ts';

/** One cognitive task as a value; every move makes a new one. Source: docs/spec/kernel.md#cognitive-task. */
export interface CognitiveTask {
  readonly taskId: string;
  readonly snapshot: Snapshot<CognitiveState, TaskContext>;
  readonly history: readonly StateTransition[];
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Lower is more urgent. */
  readonly priority: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The outside event that a cognitive task starts with. */
export interface TaskInput {
  readonly taskId: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly source: string;
  readonly text?: string | undefined;
  readonly inputMetadata?: Readonly<Record<string, unknown>> | undefined;
  /** Default 100. */
  readonly priority?: number | undefined;
}

/** An event of the cognitive machine. */
export type CognitiveEvent = EventInput<EventOf<typeof cognitiveMachine> | AliasOf<typeof cognitiveMachine>>;

/** A legal move of a cognitive task. */
export interface AdvancedTask {
  readonly ok: true;
  readonly task: CognitiveTask;
  readonly decision: Extract<DecisionOf<typeof cognitiveMachine, TaskContext>, Accepted>;
}

/** Makes a task of an outside event; it stays idle until TASK_CREATED. */
export function createCognitiveTask(input: TaskInput): CognitiveTask {
  const context: TaskContext = {
    ...EMPTY_CONTEXT,
    inputText: input.text ?? '',
    inputMetadata: input.inputMetadata ?? {},
    source: input.source,
  };
  return {
    taskId: input.taskId,
    snapshot: { entityId: input.taskId, state: 'idle', seq: 0, context },
    history: [],
    createdAt: input.at,
    updatedAt: input.at,
    priority: input.priority ?? 100,
    metadata: {},
  };
}

/** The task with other context fields, as stages produce them between moves; its state stays. */
export function withContext(task: CognitiveTask, changes: Partial<TaskContext>): CognitiveTask {
  return { ...task, snapshot: { ...task.snapshot, context: { ...task.snapshot.context, ...changes } } };
}

/** Moves a task by one event and appends to its history; a refusal changes nothing. */
export function advanceTask(task: CognitiveTask, event: CognitiveEvent): AdvancedTask | Refused {
  const decision = decide(cognitiveMachine, task.snapshot, event);
  if (!decision.ok) return decision;
  const history = [...task.history, toStateTransition(decision.record)];
  return { ok: true, task: { ...task, snapshot: decision.snapshot, history, updatedAt: event.at }, decision };
}
