import type { AbortReason, ExecutionTrigger, TransitionReason } from './reasons.ts';

/** State of one entity in one machine: all that a decision needs to know. Never changed; a move makes a new one. */
export interface Snapshot<S extends string = string, C = unknown> {
  /** Task id, session id, attempt id: whatever the machine describes. */
  readonly entityId: string;
  readonly state: S;
  /** Number of moves so far: 0 for a fresh entity. Compare-and-set on it. */
  readonly seq: number;
  /** What guards, dynamic targets and patches read; machines without such rules ignore it. */
  readonly context: C;
}

/** What the caller says about a move besides its name. Time and ids are the caller's: the kernel has neither. */
export interface MoveInput {
  /** Id of the event that asks for the move. Default: `entityId:machine:seq` of the move it causes. */
  readonly id?: string | undefined;
  /** Who asks: task_store, spawner, janitor, a person's name. */
  readonly actor: string;
  /** Why, for people. */
  readonly reason: string;
  /** When, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly transitionReason?: TransitionReason | undefined;
  readonly abortReason?: AbortReason | undefined;
  readonly trigger?: ExecutionTrigger | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The seq that the caller believes is current; another one refuses the move as `stale`. */
  readonly expectSeq?: number | undefined;
}

/** A move asked for by event name (or by an alias of one). */
export interface EventInput<E extends string = string> extends MoveInput {
  readonly type: E;
}

/** move: by the table. override: a declared move outside of it. refused: asked for and denied; changes nothing. */
export type RecordKind = 'move' | 'override' | 'refused';

/** One line of an entity's history; a superset of older systems' records, which are projections of it. */
export interface TransitionRecord<S extends string = string, E extends string = string> {
  readonly id: string;
  /** Id of the machine's definition. */
  readonly machine: string;
  /** Version of the definition that decided. */
  readonly version: number;
  readonly entityType: string;
  readonly entityId: string;
  /** Contiguous per entity and machine, 1 for the first move. A refused one carries the seq it did not advance. */
  readonly seq: number;
  readonly from: S;
  readonly to: S;
  /** Canonical event name, also where an alias was used. */
  readonly event: E;
  /** The name that was used, where it was an alias. */
  readonly alias?: string | undefined;
  readonly kind: RecordKind;
  readonly actor: string;
  readonly reason: string;
  readonly transitionReason?: TransitionReason | undefined;
  readonly abortReason?: AbortReason | undefined;
  readonly trigger?: ExecutionTrigger | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** The record of task and agent as older readers know it: docs/spec/kernel.md#records. */
export interface LifecycleEvent {
  /** Seconds since the Unix epoch. */
  readonly timestamp: number;
  readonly entity_type: string;
  readonly entity_id: string;
  readonly from_status: string;
  readonly to_status: string;
  readonly actor: string;
  readonly reason: string;
  readonly transition_reason: TransitionReason | null;
  readonly abort_reason: AbortReason | null;
}

/** The record of a cognitive task as older readers know it: docs/spec/kernel.md#records. */
export interface StateTransition {
  readonly fromState: string;
  readonly toState: string;
  readonly triggerEventType: string;
  readonly triggerEventId: string;
  /** Milliseconds since the Unix epoch. */
  readonly timestamp: number;
}

/** Projects a record onto a {@link LifecycleEvent}. */
export function toLifecycleEvent(record: TransitionRecord): LifecycleEvent {
  return {
    timestamp: record.at / 1000,
    entity_type: record.entityType,
    entity_id: record.entityId,
    from_status: record.from,
    to_status: record.to,
    actor: record.actor,
    reason: record.reason,
    transition_reason: record.transitionReason ?? null,
    abort_reason: record.abortReason ?? null,
  };
}

/** Projects a record onto a {@link StateTransition}. */
export function toStateTransition(record: TransitionRecord): StateTransition {
  return {
    fromState: record.from,
    toState: record.to,
    triggerEventType: record.event,
    triggerEventId: record.id,
    timestamp: record.at,
  };
}
