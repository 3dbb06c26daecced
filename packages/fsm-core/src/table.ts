import type { MachineDefinition, Rule } from './definition.ts';

/** Everything that a move takes from the definition, side by side: following references would cost more than the copies. */
export interface Step {
  /** Id of the definition. */
  readonly machine: string;
  readonly version: number;
  readonly entityType: string;
  /** Between entity and seq in the id of a record whose caller gave none. */
  readonly infix: string;
  /** Canonical event. */
  readonly event: string;
  /** Set where an alias was used. */
  readonly alias: string | undefined;
  readonly to: string;
  readonly kind: 'move' | 'override';
  /** {@link NO_PATCH} where the context stays. */
  readonly patch: object;
}

/** Completes a step with what its definition says about itself. */
export function stepOf(
  { id, version, entityType }: MachineDefinition<string>,
  { event, alias, to, kind, patch }: Pick<Step, 'event' | 'alias' | 'to' | 'kind' | 'patch'>,
): Step {
  return { machine: id, version, entityType, infix: `:${id}:`, event, alias, to, kind, patch };
}

/** The one empty patch, compared by identity. */
export const NO_PATCH: Readonly<Record<string, never>> = Object.freeze({});

/** One legal cell of a machine, precedence already resolved. */
export interface Cell {
  readonly machine: MachineDefinition<string>;
  /** Canonical event. */
  readonly event: string;
  /** Set where the cell was reached by an alias. */
  readonly alias: string | undefined;
  /** The ready step of a plain cell: one rule without guard, dynamic target or patch. Null for all others. */
  readonly step: Step | null;
  /** Every state it can lead to. */
  readonly targets: readonly string[];
  readonly rules: readonly Rule<string, never>[];
}

/** Nested objects without a prototype: the fastest lookup, and safe for names such as `constructor`. */
export type Grid<T> = Readonly<Record<string, Readonly<Record<string, T>> | undefined>>;

/** What the kernel looks up instead of searching rules. */
export interface Table {
  readonly events: readonly string[];
  /** state → event or alias → cell. */
  readonly byEvent: Grid<Cell | undefined>;
  /** state → target → the one cell, or null where several rules lead there. */
  readonly byTarget: Grid<Cell | null | undefined>;
  /** state → declared terminal? */
  readonly terminal: Readonly<Record<string, true | undefined>>;
}

const TABLE = Symbol('table');
const tables = new WeakMap<object, Table>();

type Tabled = MachineDefinition<string> & { readonly [TABLE]?: Table };

interface CellOptions {
  readonly rules: readonly Rule<string, never>[];
  readonly alias: string | undefined;
}

/** Targets of one rule, dynamic ones expanded. */
export function targetsOf(rule: Rule<string, never>): readonly string[] {
  return typeof rule.to === 'string' ? [rule.to] : rule.to.among;
}

/** The rules that decide one cell: exact, else (unless terminal) those of groups, else those of any state. */
export function rulesFor(
  machine: MachineDefinition<string>,
  state: string,
  event: string,
): Rule<string, never>[] {
  const named = machine.rules.filter((rule) => rule.on === event);
  const exact = named.filter((rule) => rule.from === state && state !== '*');
  if (exact.length > 0 || machine.terminal.includes(state)) return exact;
  const grouped = named.filter(
    (rule) => typeof rule.from === 'object' && machine.groups[rule.from.group]?.includes(state),
  );
  return grouped.length > 0 ? grouped : named.filter((rule) => rule.from === '*');
}

function cellOf(machine: MachineDefinition<string>, event: string, options: CellOptions): Cell {
  const { rules, alias } = options;
  const [only] = rules;
  const to =
    rules.length === 1 && !only?.guard && !only?.patch && typeof only?.to === 'string' ? only.to : null;
  return {
    machine,
    event,
    alias,
    step: to === null ? null : stepOf(machine, { event, alias, to, kind: 'move', patch: NO_PATCH }),
    targets: [...new Set(rules.flatMap((rule) => targetsOf(rule)))],
    rules,
  };
}

/** The legal cells of a state, in the order in which the rules stand. */
function cellsOf(machine: MachineDefinition<string>, state: string, events: readonly string[]) {
  const place = ([first]: readonly Rule<string, never>[]) => (first ? machine.rules.indexOf(first) : 0);
  return events
    .map((event) => ({ event, rules: rulesFor(machine, state, event) }))
    .filter(({ rules }) => rules.length > 0)
    .sort((left, right) => place(left.rules) - place(right.rules));
}

/** The legal cells of a state without those reached by an alias, in the order of the rules. */
export function cellsFrom(machine: MachineDefinition<string>, state: string): Cell[] {
  const row = tableOf(machine).byEvent[state] ?? {};
  return Object.values(row).filter((cell) => cell !== undefined && cell.alias === undefined) as Cell[];
}

function compile(machine: MachineDefinition<string>): Table {
  const events = [...new Set(machine.rules.map((rule) => rule.on))];
  const byEvent = Object.create(null) as Record<string, Record<string, Cell>>;
  const byTarget = Object.create(null) as Record<string, Record<string, Cell | null>>;
  const terminal = Object.create(null) as Record<string, true>;
  for (const state of machine.terminal) terminal[state] = true;
  for (const state of machine.states) {
    const row = (byEvent[state] = Object.create(null) as Record<string, Cell>);
    const goals = (byTarget[state] = Object.create(null) as Record<string, Cell | null>);
    for (const { event, rules } of cellsOf(machine, state, events)) {
      const cell = (row[event] = cellOf(machine, event, { rules, alias: undefined }));
      for (const target of cell.targets)
        goals[target] = target in goals || cell.targets.length > 1 ? null : cell;
    }
    for (const { name, as, when } of machine.aliases) {
      const cell = when.includes(state) ? row[as] : undefined;
      if (cell && !(name in row)) row[name] = cellOf(machine, as, { rules: cell.rules, alias: name });
    }
  }
  return { events, byEvent, byTarget, terminal };
}

/** Computes a definition's table once and hangs it on the definition, unseen by spread and JSON. */
export function attachTable(machine: MachineDefinition<string>): void {
  Object.defineProperty(machine, TABLE, { value: compile(machine), enumerable: false });
}

/** The table of a definition; plain ones, not made by `defineMachine`, are compiled at their first use. */
export function tableOf(machine: MachineDefinition<string>): Table {
  return (machine as Tabled)[TABLE] ?? compileOnce(machine);
}

function compileOnce(machine: MachineDefinition<string>): Table {
  const known = tables.get(machine);
  if (known) return known;
  const table = compile(machine);
  tables.set(machine, table);
  return table;
}
