import { completed } from './completed.ts';
import type { MachineDefinition, NewMachine } from './definition.ts';
import { shapeProblems } from './machine-shape.ts';
import { rulesFor, targetsOf } from './table.ts';

type Definition = MachineDefinition<string>;

function unknownStates(machine: Definition): string[] {
  const mentioned: [string, readonly string[]][] = [
    ['initial', machine.initial],
    ['terminal', machine.terminal],
    ...Object.entries(machine.groups).map(([name, states]): [string, readonly string[]] => [
      `group ${name}`,
      states,
    ]),
    ...machine.aliases.map((alias): [string, readonly string[]] => [`alias ${alias.name}`, alias.when]),
    ...machine.overrides.map((rule): [string, readonly string[]] => [
      `override ${rule.event}`,
      [rule.from, rule.to],
    ]),
    ...machine.rules.map((rule): [string, readonly string[]] => {
      const from = typeof rule.from === 'string' && rule.from !== '*' ? [rule.from] : [];
      return [`rule ${rule.on}`, [...from, ...targetsOf(rule)]];
    }),
  ];
  return mentioned.flatMap(([where, states]) =>
    states
      .filter((state) => !machine.states.includes(state))
      .map((state) => `${where} names unknown state ${state}`),
  );
}

function unknownNames(machine: Definition): string[] {
  const events = new Set(machine.rules.map((rule) => rule.on));
  const groups = machine.rules.flatMap((rule) =>
    typeof rule.from === 'object' && machine.groups[rule.from.group] === undefined
      ? [`rule ${rule.on} names unknown group ${rule.from.group}`]
      : [],
  );
  const aliases = machine.aliases.flatMap((alias) => {
    if (events.has(alias.name)) return [`alias ${alias.name} is also an event`];
    return alias.when
      .filter((state) => rulesFor(machine, state, alias.as).length === 0)
      .map((state) => `alias ${alias.name} stands for ${alias.as}, which is not legal in ${state}`);
  });
  return [...groups, ...aliases];
}

function conflicts(machine: Definition): string[] {
  const events = [...new Set(machine.rules.map((rule) => rule.on))];
  return machine.states.flatMap((state) => {
    const cells = events.map((event) => ({ event, rules: rulesFor(machine, state, event) }));
    const twice = cells
      .filter(({ rules }) => rules.length > 1 && rules.some((rule) => !rule.guard))
      .map(({ event }) => `two rules without guards for ${state} on ${event}`);
    if (machine.drivenBy === 'event') return twice;
    const targets = cells.flatMap(({ rules }) => rules.flatMap((rule) => targetsOf(rule)));
    const repeated = [...new Set(targets.filter((target, at) => targets.indexOf(target) !== at))];
    return [
      ...twice,
      ...repeated.map((target) => `two events lead from ${state} to ${target}, which a target must not`),
    ];
  });
}

function terminalExits(machine: Definition): string[] {
  return machine.rules
    .filter(
      (rule) => typeof rule.from === 'string' && machine.terminal.includes(rule.from) && !rule.exitsTerminal,
    )
    .map((rule) => `rule ${rule.on} leaves terminal state ${String(rule.from)} without exitsTerminal`);
}

function unreachable(machine: Definition): string[] {
  const events = [...new Set(machine.rules.map((rule) => rule.on))];
  const seen = new Set(machine.initial);
  for (const state of seen) {
    const moves = events.flatMap((event) =>
      rulesFor(machine, state, event).flatMap((rule) => targetsOf(rule)),
    );
    const forced = machine.overrides.filter((rule) => rule.from === state).map((rule) => rule.to);
    for (const next of [...moves, ...forced]) seen.add(next);
  }
  return machine.states.filter((state) => !seen.has(state)).map((state) => `state ${state} is unreachable`);
}

/**
 * Finds what is wrong with a definition, also one that leaves out what has a default: a wrong shape, unknown states, groups and events, unreachable states (overrides count as ways),
 * two rules for one cell without guards, exits from declared terminals that are not flagged, and, for a target-driven
 * machine, two events for one (from, to) pair.
 *
 * @returns one sentence a problem; empty for a sound definition
 */
export function validate(machine: NewMachine): string[] {
  const misshapen = shapeProblems(machine);
  if (misshapen.length > 0) return misshapen;
  const definition: Definition = completed(machine);
  const doubled = definition.states.filter((state, at) => definition.states.indexOf(state) !== at);
  return [
    ...doubled.map((state) => `state ${state} is listed twice`),
    ...(definition.initial.length === 0 ? ['no initial state'] : []),
    ...unknownStates(definition),
    ...unknownNames(definition),
    ...conflicts(definition),
    ...terminalExits(definition),
    ...unreachable(definition),
  ];
}
