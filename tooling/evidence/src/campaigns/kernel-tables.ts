import {
  canMoveTo,
  decide,
  machines,
  moveTo,
  override,
  replay,
  type MachineDefinition,
  type Snapshot,
  type TransitionRecord,
} from '@baton/fsm-core';
import { SEED_TABLES, type SeedTable } from '../../../../packages/fsm-core/test/seed-tables.ts';
import { contextsOf } from './machine-contexts.ts';

/** What the kernel did with every cell of one machine. */
export interface MachineCount {
  machine: string;
  states: number;
  /** (from, to) pairs for machines driven by target, (state, event) cells for the others. */
  cells: number;
  legal: number;
  reached: number;
  refused: number;
  /** (state, event) cells, counted for every machine. */
  eventCells: number;
  /** Forced moves that the kernel accepts. */
  overrides: number;
  broken: readonly string[];
}

// The five definitions have five literal types; here they are data.
type AnyMachine = MachineDefinition<string> & { drivenBy: 'target' };
const input = { actor: 'evidence', reason: 'tables', at: 0 };

interface Arrival {
  snapshot: Snapshot;
  history: readonly TransitionRecord[];
}

/** Walks every machine through the kernel against tables copied by hand, cell by cell. */
export function kernelTables(): MachineCount[] {
  return SEED_TABLES.map(({ id, table }) => {
    const machine = machines[id as keyof typeof machines] as unknown as AnyMachine;
    const arrivals = arriveEverywhere(machine);
    const broken = machine.states
      .filter((state) => !arrivals.has(state))
      .map((state) => `${id}: ${state} cannot be reached`);
    const byEvent = countEvents(machine, table, arrivals);
    const counted = machine.drivenBy === 'target' ? countPairs(machine, table, arrivals) : byEvent;
    const overrides = countOverrides(machine, arrivals);
    return {
      machine: id,
      states: machine.states.length,
      ...counted,
      eventCells: byEvent.cells,
      overrides: overrides.reached,
      broken: [...new Set([...broken, ...byEvent.broken, ...counted.broken, ...overrides.broken])],
    };
  });
}

/** Moves outside the tables that may be forced, by name and with a reason. */
const declaredOverrides = ['task: DONE ⇒ PENDING_APPROVAL', 'task: PENDING_APPROVAL ⇒ DONE'];

/** Every state, reached from an initial one by accepted moves and declared overrides only. */
function arriveEverywhere(machine: AnyMachine): Map<string, Arrival> {
  const arrivals = new Map<string, Arrival>();
  for (const state of machine.initial) {
    arrivals.set(state, {
      snapshot: { entityId: 'e', state, seq: 0, context: machine.emptyContext },
      history: [],
    });
  }
  const events = [...new Set(machine.rules.map((rule) => rule.on))];
  for (const [, { snapshot, history }] of arrivals) {
    const inContexts = contextsOf(machine.id).map((context) => ({ ...snapshot, context }));
    const tries = [
      ...inContexts.flatMap((from) =>
        events.map((type) => decide(machine, from as never, { ...input, type })),
      ),
      ...machine.states.map((to) => override(machine, snapshot as never, to, input)),
    ];
    for (const tried of tries) {
      if (!tried.ok || arrivals.has(tried.snapshot.state)) continue;
      arrivals.set(tried.snapshot.state, { snapshot: tried.snapshot, history: [...history, tried.record] });
    }
  }
  return arrivals;
}

type Counted = Omit<MachineCount, 'machine' | 'states' | 'eventCells' | 'overrides'>;

function countEvents(machine: AnyMachine, table: SeedTable, arrivals: Map<string, Arrival>): Counted {
  const events = [...new Set([...table.values()].flatMap((row) => [...row.keys()]))];
  const tally = newTally();
  for (const [state, { snapshot, history }] of arrivals) {
    for (const type of events) {
      const expected = table.get(state)?.get(type) ?? [];
      const tries = contextsOf(machine.id).map((context) =>
        decide(machine, { ...snapshot, context } as never, { ...input, type }),
      );
      const accepted = tries.filter((tried) => tried.ok);
      const targets = new Set(accepted.map((tried) => tried.snapshot.state));
      const sound = accepted.every(({ record }) => replay(machine, [...history, record]).ok);
      tally.add(`${machine.id}: ${type} in ${state}`, { expected, targets, sound });
    }
  }
  return tally.result();
}

function countPairs(machine: AnyMachine, table: SeedTable, arrivals: Map<string, Arrival>): Counted {
  const tally = newTally();
  for (const [state, { snapshot, history }] of arrivals) {
    const goals = new Set([...(table.get(state)?.values() ?? [])].flat());
    for (const to of machine.states) {
      const tried = moveTo(machine, snapshot as never, to, input);
      const targets = new Set(tried.ok ? [tried.snapshot.state] : []);
      const sound = tried.ok
        ? replay(machine, [...history, tried.record]).ok
        : !canMoveTo(machine, state, to);
      tally.add(`${machine.id}: ${state} → ${to}`, { expected: goals.has(to) ? [to] : [], targets, sound });
    }
  }
  return tally.result();
}

function countOverrides(machine: AnyMachine, arrivals: Map<string, Arrival>): Counted {
  const tally = newTally();
  for (const [state, { snapshot }] of arrivals) {
    for (const to of machine.states) {
      const cell = `${machine.id}: ${state} ⇒ ${to}`;
      const forced = override(machine, snapshot as never, to, input);
      const unnamed = override(machine, snapshot as never, to, { ...input, actor: '' });
      const targets = new Set(forced.ok ? [forced.snapshot.state] : []);
      const expected = declaredOverrides.includes(cell) ? [to] : [];
      tally.add(cell, { expected, targets, sound: !unnamed.ok });
    }
  }
  return tally.result();
}

function newTally() {
  const counts = { cells: 0, legal: 0, reached: 0, refused: 0 };
  const broken: string[] = [];
  return {
    add(
      cell: string,
      { expected, targets, sound }: { expected: readonly string[]; targets: Set<string>; sound: boolean },
    ) {
      counts.cells += 1;
      if (expected.length > 0) counts.legal += 1;
      const same = expected.length === targets.size && expected.every((target) => targets.has(target));
      if (!same) {
        broken.push(
          `${cell} gives ${[...targets].join(' or ') || 'a refusal'}, not ${expected.join(' or ') || 'a refusal'}`,
        );
      } else if (!sound) broken.push(`${cell}: history and answer disagree`);
      else if (expected.length > 0) counts.reached += 1;
      else counts.refused += 1;
    },
    result: (): Counted => ({ ...counts, broken }),
  };
}
