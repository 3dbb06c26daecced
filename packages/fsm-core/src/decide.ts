import type { AliasOf, ContextOf, EventOf, MachineDefinition, StateOf } from './definition.ts';
import type { EventInput, MoveInput, Snapshot } from './record.ts';
import { accept, isStale, type Accepted, type Decision, type Refused, REFUSED, settle } from './step.ts';
import { type Cell, NO_PATCH, stepOf, tableOf } from './table.ts';

/** The decision type of one machine. */
export type DecisionOf<M extends MachineDefinition, C = ContextOf<M>> = Decision<StateOf<M>, EventOf<M>, C>;

/** A machine that is also driven by target: task, agent, execution. */
export type TargetDriven = MachineDefinition & { readonly drivenBy: 'target' };

function resolve(cell: Cell, snapshot: Snapshot, input: MoveInput): Accepted | Refused {
  return cell.step !== null ? accept(cell.step, snapshot, input) : resolveRare(cell, snapshot, input);
}

// Apart from the plain step, which is compiled into its callers: few cells have guards, dynamic targets or patches.
function resolveRare(cell: Cell, snapshot: Snapshot, input: MoveInput): Accepted | Refused {
  const step = settle(cell, snapshot, input);
  if (typeof step === 'string') return REFUSED[step];
  const accepted = accept(step, snapshot, input);
  if (step.patch === NO_PATCH) return accepted;
  const context = Object.assign({}, snapshot.context, step.patch);
  return { ...accepted, snapshot: { ...accepted.snapshot, context }, patch: step.patch };
}

/**
 * Decides one event on one snapshot. Total and pure: never throws, never changes what it was given.
 *
 * @returns the new snapshot with its record and patch; or why not: `stale` (another seq than `expectSeq`, or one that is no count), `terminal`
 * (no way out of a declared terminal state), `illegal` (no such cell), `guard` (a rule's own condition)
 */
export function decide<M extends MachineDefinition, C extends ContextOf<M>>(
  machine: M,
  snapshot: Snapshot<StateOf<M>, C>,
  event: EventInput<EventOf<M> | AliasOf<M>>,
): DecisionOf<M, C> {
  if (isStale(snapshot, event)) return REFUSED.stale;
  const table = tableOf(machine);
  const cell = table.byEvent[snapshot.state]?.[event.type];
  if (cell === undefined) return table.terminal[snapshot.state] ? REFUSED.terminal : REFUSED.illegal;
  return resolve(cell, snapshot, event) as DecisionOf<M, C>;
}

/**
 * Decides a move by its target: finds the one rule from the snapshot's state to it. As total and pure as {@link decide}.
 *
 * @returns as `decide`; the record names the one event that belongs to the pair
 */
export function moveTo<M extends TargetDriven, C extends ContextOf<M>>(
  machine: M,
  snapshot: Snapshot<StateOf<M>, C>,
  target: StateOf<M>,
  input: MoveInput,
): DecisionOf<M, C> {
  if (isStale(snapshot, input)) return REFUSED.stale;
  const table = tableOf(machine);
  const cell = table.byTarget[snapshot.state]?.[target];
  if (!cell) return table.terminal[snapshot.state] ? REFUSED.terminal : REFUSED.illegal;
  return resolve(cell, snapshot, input) as DecisionOf<M, C>;
}

/**
 * Forces a move that the definition declares as an override and nothing else; its record has kind `override`.
 *
 * @returns as `decide`; an override without the name of an actor or without a reason is refused as `guard`
 */
export function override<M extends MachineDefinition, C extends ContextOf<M>>(
  machine: M,
  snapshot: Snapshot<StateOf<M>, C>,
  to: StateOf<M>,
  input: MoveInput,
): Decision<StateOf<M>, M['overrides'][number]['event'], C> {
  if (isStale(snapshot, input)) return REFUSED.stale;
  const rule = machine.overrides.find((declared) => declared.from === snapshot.state && declared.to === to);
  if (rule === undefined) return REFUSED.illegal;
  if (input.actor === '' || input.reason === '') return REFUSED.guard;
  const step = stepOf(machine, {
    event: rule.event,
    alias: undefined,
    to,
    kind: 'override',
    patch: NO_PATCH,
  });
  return accept(step, snapshot, input) as Accepted<StateOf<M>, M['overrides'][number]['event'], C>;
}

/** Does the table have a cell for this event (or alias) in this state? Structural: ignores guards, true for every dynamic cell. */
export function can(machine: MachineDefinition, from: string, event: string): boolean {
  return tableOf(machine).byEvent[from]?.[event] !== undefined;
}

/** Does any cell lead from this state to that one? Structural: ignores guards, true for every possible dynamic target. */
export function canMoveTo(machine: MachineDefinition, from: string, to: string): boolean {
  return tableOf(machine).byTarget[from]?.[to] !== undefined;
}
