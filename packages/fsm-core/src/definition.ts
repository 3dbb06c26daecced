import type { EventInput } from './record.ts';

/** Names a group of states in a rule's `from`. */
export interface GroupRef {
  readonly group: string;
}

/** A target chosen from the context when the event happens, out of a fixed list. */
export interface DynamicTarget<S extends string = string, C = never> {
  pick(context: C): S;
  readonly among: readonly S[];
}

/** What a patch may look at besides the context. */
export interface PatchMove<S extends string = string> {
  readonly from: S;
  readonly to: S;
  readonly event: EventInput;
}

/** One row of a machine's table. Its functions must be pure. */
export interface Rule<S extends string = string, C = never> {
  readonly from: S | GroupRef | '*';
  readonly on: string;
  readonly to: S | DynamicTarget<S, C>;
  /** Accepts with `true` and nothing else. Several rules may share a cell only if each has a guard; exactly one must accept. */
  guard?(context: C, event: EventInput): boolean;
  /** Fields of the context that change with the move; a promise refuses the move. */
  patch?(context: C, move: PatchMove<S>): object;
  /** Flags a rule that leaves a declared terminal state on purpose. */
  readonly exitsTerminal?: true;
  /** What triggers the move, for tables and user interfaces. */
  readonly note?: string;
}

/** A second name for an event, valid only in some states. */
export interface Alias<S extends string = string> {
  readonly name: string;
  readonly as: string;
  readonly when: readonly S[];
}

/** A move outside the table that may be forced by name and is recorded as an override. */
export interface OverrideRule<S extends string = string> {
  readonly event: string;
  readonly from: S;
  readonly to: S;
  readonly note?: string;
}

/** Name of the error class that a machine's throwing form uses: see docs/spec/kernel.md#errors. */
export type TransitionErrorName =
  'IllegalTransitionError' | 'InvalidTransitionError' | 'InvalidStateTransition' | 'ExecutionTransitionError';

/** A state machine as plain data. Everything else in the kernel is derived from it. */
export interface MachineDefinition<S extends string = string, C = never> {
  readonly id: string;
  readonly version: number;
  /** What `entityId` names, in records. Differs from machine to machine, so that (type, id, seq) is a key. */
  readonly entityType: string;
  /** event: moves are asked for by event. target: also by target, each (from, to) pair having exactly one event. */
  readonly drivenBy: 'event' | 'target';
  readonly states: readonly S[];
  /** The first one is the default. */
  readonly initial: readonly S[];
  /** States declared final. Only a rule flagged `exitsTerminal` may leave one; sinks are computed separately. */
  readonly terminal: readonly S[];
  readonly groups: Readonly<Record<string, readonly S[]>>;
  readonly rules: readonly Rule<S, C>[];
  readonly aliases: readonly Alias<S>[];
  readonly overrides: readonly OverrideRule<S>[];
  readonly error: TransitionErrorName;
  /** Context of a fresh entity, where rules read one. */
  readonly emptyContext?: unknown;
}

/** A machine as somebody writes it: what a small one does not need may be left out. */
export interface NewMachine<S extends string = string, C = never> extends Partial<
  Omit<MachineDefinition<S, C>, 'id' | 'states' | 'rules'>
> {
  readonly id: string;
  readonly states: readonly S[];
  readonly rules: readonly Rule<S, C>[];
}

/** Defaults of what was left out: the first state is the initial one, and moves are asked for by event. */
interface Defaults<M extends NewMachine> {
  readonly version: 1;
  readonly entityType: M['id'];
  readonly drivenBy: 'event';
  readonly initial: readonly [M['states'][0]];
  readonly terminal: readonly [];
  readonly groups: Readonly<Record<never, never>>;
  readonly aliases: readonly [];
  readonly overrides: readonly [];
  readonly error: 'InvalidTransitionError';
}

/** A machine with everything that was left out. */
export type Completed<M extends NewMachine> = M & Omit<Defaults<M>, keyof M>;

/** State names of a machine, as a union. */
export type StateOf<M extends MachineDefinition> = M['states'][number];

/** Canonical event names of a machine, as a union. */
export type EventOf<M extends MachineDefinition> = M['rules'][number]['on'];

/** Alias names of a machine, as a union. */
export type AliasOf<M extends MachineDefinition> = M['aliases'][number]['name'];

/** Context that a machine's rules read; unknown where none does. */
export type ContextOf<M extends MachineDefinition> = M extends { readonly emptyContext: infer C }
  ? C
  : unknown;
