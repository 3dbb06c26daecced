import type { MachineDefinition, NewMachine } from './definition.ts';

/**
 * A definition with the defaults of what was left out. One literal shape for every machine keeps the kernel's property loads
 * monomorphic.
 */
export function completed(given: NewMachine<string>): MachineDefinition<string> {
  return {
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
}
