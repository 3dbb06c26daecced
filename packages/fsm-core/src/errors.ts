import type { TransitionErrorName } from './definition.ts';

/** Why a move was refused: no such cell, a declared terminal state, a guard said no, or the snapshot was outdated. */
export type RefusalCode = 'illegal' | 'terminal' | 'guard' | 'stale';

/** What a refused move was about. */
export interface TransitionErrorDetails {
  readonly machine: string;
  /** Undefined in the form that takes a bare state. */
  readonly entityId?: string | undefined;
  readonly from: string;
  /** Event asked for, in the event-driven form. */
  readonly event?: string | undefined;
  /** Target asked for, in the target-driven form. */
  readonly to?: string | undefined;
  readonly code: RefusalCode;
  /** The way out: what is legal instead. */
  readonly fix: string;
}

/** A refused move, thrown. The subclasses carry the names of docs/spec/kernel.md#errors. */
export class TransitionError extends Error {
  override readonly name: string = 'TransitionError';
  readonly machine: string;
  readonly entityId: string | undefined;
  readonly from: string;
  readonly event: string | undefined;
  readonly to: string | undefined;
  readonly code: RefusalCode;
  readonly fix: string;

  constructor(message: string, details: TransitionErrorDetails) {
    super(message);
    this.machine = details.machine;
    this.entityId = details.entityId;
    this.from = details.from;
    this.event = details.event;
    this.to = details.to;
    this.code = details.code;
    this.fix = details.fix;
  }
}

/** Refused move of a task or an agent. Source: docs/spec/kernel.md#errors. */
export class IllegalTransitionError extends TransitionError {
  override readonly name: string = 'IllegalTransitionError';
}

/** Refused move of a turn. Source: docs/spec/kernel.md#errors. */
export class InvalidTransitionError extends TransitionError {
  override readonly name: string = 'InvalidTransitionError';
}

/** Refused move of a cognitive task. Source: docs/spec/kernel.md#errors. */
export class InvalidStateTransition extends TransitionError {
  override readonly name: string = 'InvalidStateTransition';
}

/** Refused move of an execution; its message is `Invalid state transition: <from> -> <to>`. Source: docs/spec/kernel.md#errors. */
export class ExecutionTransitionError extends TransitionError {
  override readonly name: string = 'ExecutionTransitionError';
}

/** A definition that contradicts itself; lists every problem at once. */
export class MachineDefinitionError extends Error {
  override readonly name: string = 'MachineDefinitionError';
  readonly problems: readonly string[];

  constructor(machine: string, problems: readonly string[]) {
    super(`machine ${machine} is not sound: ${problems.join('; ')}. Correct its definition.`);
    this.problems = problems;
  }
}

const CLASSES = {
  IllegalTransitionError,
  InvalidTransitionError,
  InvalidStateTransition,
  ExecutionTransitionError,
} as const satisfies Record<TransitionErrorName, typeof TransitionError>;

/** Builds the error of a machine, with the way out in its message (execution's message is fixed: docs/spec/kernel.md#errors). */
export function transitionError(name: TransitionErrorName, details: TransitionErrorDetails): TransitionError {
  if (name === 'ExecutionTransitionError') {
    const target = details.to ?? `(${details.event ?? 'nothing'})`;
    return new ExecutionTransitionError(`Invalid state transition: ${details.from} -> ${target}`, details);
  }
  const who = details.entityId === undefined ? details.machine : `${details.machine} ${details.entityId}`;
  const what = details.to === undefined ? `take event ${details.event ?? '(none)'}` : `move to ${details.to}`;
  return new CLASSES[name](
    `${who} in ${details.from} cannot ${what} (${details.code}). ${details.fix}`,
    details,
  );
}
