import type { ContextOf, MachineDefinition, Snapshot, StateOf } from '../src/index.ts';

/** What every move of a test says about itself. */
export const input = Object.freeze({ actor: 'test', reason: 'because', at: 1_700_000_000_000 });

/** An entity of a machine in a given state, frozen to its depth. */
export function snapshotOf<M extends MachineDefinition>(
  machine: M,
  state: StateOf<M>,
  context: unknown = machine.emptyContext,
): Snapshot<StateOf<M>, ContextOf<M>> {
  return deepFreeze({ entityId: 'e1', state, seq: 7, context: context as ContextOf<M> });
}

/** Freezes a value and all it holds, so that a mutation throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
