import type { Completed, MachineDefinition, NewMachine } from './definition.ts';
import { MachineDefinitionError } from './errors.ts';
import { shapeProblems } from './machine-shape.ts';
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
 * @throws MachineDefinitionError naming every problem that {@link validate} finds, and what has not the shape of a definition
 */
export function defineMachine<const M extends NewMachine>(
  definition: M & NewMachine<M['states'][number]>,
): Completed<M> {
  const misshapen = shapeProblems(definition);
  if (misshapen.length > 0) throw new MachineDefinitionError(nameOf(definition), misshapen);
  const given: NewMachine<string> = definition;
  // One literal shape for every machine keeps the kernel's property loads monomorphic.
  const machine: MachineDefinition<string> = {
    id: given.id,
    version: given.version ?? 1,
    entityType: given.entityType ?? given.id,
    drivenBy: given.drivenBy ?? 'event',
    states: given.states,
    initial: given.initial ?? given.states.slice(0, 1),
    terminal: given.terminal ?? [],
    groups: given.groups ?? {},
    rules: given.rules,
    aliases: given.aliases ?? [],
    overrides: given.overrides ?? [],
    error: given.error ?? 'InvalidTransitionError',
    emptyContext: given.emptyContext,
  };
  const problems = validate(machine);
  if (problems.length > 0) throw new MachineDefinitionError(machine.id, problems);
  attachTable(machine);
  deepFreeze(machine);
  return machine as unknown as Completed<M>;
}

function nameOf(definition: Partial<NewMachine> | null | undefined): string {
  return typeof definition?.id === 'string' ? definition.id : 'without an id';
}
