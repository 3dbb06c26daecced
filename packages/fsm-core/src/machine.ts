import { completed } from './completed.ts';
import type { Completed, NewMachine } from './definition.ts';
import { MachineDefinitionError } from './errors.ts';
import { attachTable } from './table.ts';
import { validate } from './validate.ts';

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
}

/**
 * Makes a machine of a definition: checks it, freezes it and keeps its names as literal types. What is left out has a default: the
 * first state is the initial one, no state is terminal, moves are asked for by event, and records name entities by the machine's id.
 *
 * @throws MachineDefinitionError naming every problem that {@link validate} finds
 */
export function defineMachine<const M extends NewMachine>(
  definition: M & NewMachine<M['states'][number]>,
): Completed<M> {
  const problems = validate(definition);
  if (problems.length > 0) throw new MachineDefinitionError(nameOf(definition), problems);
  const machine = completed(definition);
  attachTable(machine);
  deepFreeze(machine);
  return machine as unknown as Completed<M>;
}

function nameOf(definition: Partial<NewMachine> | null | undefined): string {
  return typeof definition?.id === 'string' ? definition.id : 'without an id';
}
