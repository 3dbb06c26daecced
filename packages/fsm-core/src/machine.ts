import type { MachineDefinition } from './definition.ts';
import { MachineDefinitionError } from './errors.ts';
import { attachTable } from './table.ts';
import { validate } from './validate.ts';

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
}

/**
 * Makes a machine of a definition: checks it, freezes it and keeps its names as literal types.
 *
 * @throws MachineDefinitionError naming every problem that {@link validate} finds
 */
export function defineMachine<const M extends MachineDefinition>(
  definition: M & MachineDefinition<M['states'][number]>,
): M {
  const problems = validate(definition);
  if (problems.length > 0) throw new MachineDefinitionError(definition.id, problems);
  // One literal shape for every machine keeps the kernel's property loads monomorphic.
  const machine = {
    id: definition.id,
    version: definition.version,
    entityType: definition.entityType,
    drivenBy: definition.drivenBy,
    states: definition.states,
    initial: definition.initial,
    terminal: definition.terminal,
    groups: definition.groups,
    rules: definition.rules,
    aliases: definition.aliases,
    overrides: definition.overrides,
    error: definition.error,
    emptyContext: definition.emptyContext,
  };
  attachTable(machine);
  deepFreeze(machine);
  return machine as unknown as M;
}
