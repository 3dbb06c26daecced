import type { EventOf, MachineDefinition, StateOf } from './definition.ts';
import { cellsFrom, tableOf } from './table.ts';

/** One possible move of a machine. */
export interface Edge<S extends string = string, E extends string = string> {
  readonly from: S;
  readonly event: E;
  readonly to: S;
  /** The target is one of several, chosen at run time. */
  readonly dynamic: boolean;
  /** A second name for the event in this state. */
  readonly alias?: string;
}

/** state → event → possible targets; an empty list is a refused cell. */
export type Matrix<S extends string = string, E extends string = string> = Readonly<
  Record<S, Readonly<Record<E, readonly S[]>>>
>;

/** Every move of a machine, in the order of its states and rules; dynamic cells expand to all their targets. */
export function edges<M extends MachineDefinition>(machine: M): Edge<StateOf<M>, EventOf<M>>[] {
  const found = machine.states.flatMap((from) =>
    cellsFrom(machine, from).flatMap(({ event, targets }) => {
      const alias = machine.aliases.find(({ as, when }) => as === event && when.includes(from));
      const named = alias === undefined ? {} : { alias: alias.name };
      return targets.map((to): Edge => ({ from, event, to, dynamic: targets.length > 1, ...named }));
    }),
  );
  return found as Edge<StateOf<M>, EventOf<M>>[];
}

/** The whole grid of a machine, refused cells included. */
export function matrix<M extends MachineDefinition>(machine: M): Matrix<StateOf<M>, EventOf<M>> {
  const table = tableOf(machine);
  const rows = machine.states.map((state) => {
    const cells = table.events.map((event) => [event, table.byEvent[state]?.[event]?.targets ?? []]);
    return [state, Object.fromEntries(cells)];
  });
  return Object.fromEntries(rows) as Matrix<StateOf<M>, EventOf<M>>;
}

/** States that no rule leaves. Computed, while `terminal` is declared: execution's stopped is terminal and no sink. */
export function sinks<M extends MachineDefinition>(machine: M): StateOf<M>[] {
  const left = new Set(edges(machine).map((edge) => edge.from));
  return machine.states.filter((state) => !left.has(state));
}

/** States that one or more moves lead to, nearest first; overrides do not count. */
export function reachableFrom<M extends MachineDefinition>(machine: M, from: StateOf<M>): StateOf<M>[] {
  const all = edges(machine);
  const seen = new Set<StateOf<M>>();
  const queue: StateOf<M>[] = [from];
  for (const state of queue) {
    for (const edge of all) {
      if (edge.from !== state || seen.has(edge.to)) continue;
      seen.add(edge.to);
      queue.push(edge.to);
    }
  }
  return [...seen];
}

/** The fewest moves from one state to another: empty where they are the same, null where there is no way. */
export function shortestPath<M extends MachineDefinition>(
  machine: M,
  from: StateOf<M>,
  to: StateOf<M>,
): Edge<StateOf<M>, EventOf<M>>[] | null {
  if (from === to) return [];
  const all = edges(machine);
  const ways = new Map<StateOf<M>, Edge<StateOf<M>, EventOf<M>>[]>([[from, []]]);
  for (const [state, way] of ways) {
    for (const edge of all) {
      if (edge.from !== state || ways.has(edge.to)) continue;
      if (edge.to === to) return [...way, edge];
      ways.set(edge.to, [...way, edge]);
    }
  }
  return null;
}

/** Is this state declared terminal? */
export function isTerminal<M extends MachineDefinition>(machine: M, state: StateOf<M>): boolean {
  return machine.terminal.includes(state);
}

/** A machine that says which of its states are active: cognitive (reasoning, acting), execution (idle, busy, suspended). */
export type WithActiveGroup = MachineDefinition & { readonly groups: { readonly active: readonly string[] } };

/** Is this state one of the machine's active group? */
export function isActive<M extends WithActiveGroup>(machine: M, state: StateOf<M>): boolean {
  return machine.groups.active.includes(state);
}
