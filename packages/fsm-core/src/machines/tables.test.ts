import { describe, expect, test } from 'vitest';
import {
  can,
  canMoveTo,
  decide,
  edges,
  machines,
  matrix,
  moveTo,
  sinks,
  transition,
  validate,
  type MachineDefinition,
  type TargetDriven,
} from '../index.ts';
import { SEED_TABLES } from '../../test/seed-tables.ts';
import { input, snapshotOf } from '../../test/support.ts';

describe.each(SEED_TABLES)('the $id machine', ({ id, table, states, cells, terminal }) => {
  const machine: MachineDefinition<string> = machines[id];
  const events = [...new Set([...table.values()].flatMap((row) => [...row.keys()]))];
  const targets = (from: string, event: string) => table.get(from)?.get(event) ?? [];

  test('is a sound definition with the states and terminal states of the specification', () => {
    expect(validate(machine)).toEqual([]);
    expect(machine.states).toHaveLength(states);
    expect(new Set(machine.states)).toEqual(new Set(table.keys()));
    expect(machine.terminal).toEqual(terminal);
  });

  test('has exactly the legal cells of the specification', () => {
    expect([...table.values()].reduce((sum, row) => sum + row.size, 0)).toBe(cells);
    for (const from of table.keys()) {
      for (const event of events) {
        expect(matrix(machine)[from]?.[event], `${from} on ${event}`).toEqual(targets(from, event));
        expect(can(machine, from, event), `${from} on ${event}`).toBe(targets(from, event).length > 0);
      }
    }
  });

  test('reaches every legal static cell and refuses every illegal one, by event', () => {
    for (const from of machine.states) {
      for (const event of events) {
        const [to, ...more] = targets(from, event);
        if (more.length > 0) continue;
        const decision = decide(machine, snapshotOf(machine, from), { ...input, type: event });
        const seen = decision.ok ? decision.snapshot : decision;
        const refusal = { ok: false, code: terminal.includes(from as never) ? 'terminal' : 'illegal' };
        expect(seen, `${from} on ${event}`).toMatchObject(to === undefined ? refusal : { state: to, seq: 8 });
        const thrown = () => transition(machine, from, event);
        if (to === undefined) expect(thrown).toThrow(expect.objectContaining({ name: machine.error }));
        else expect(thrown()).toBe(to);
      }
    }
  });

  test('knows for every pair of states whether a move leads from one to the other', () => {
    for (const from of machine.states) {
      const legal = new Set([...(table.get(from)?.values() ?? [])].flat());
      for (const to of machine.states)
        expect(canMoveTo(machine, from, to), `${from} to ${to}`).toBe(legal.has(to));
    }
  });

  test('lists every move once as an edge', () => {
    const expected = [...table].flatMap(([from, row]) =>
      [...row].flatMap(([event, tos]) => tos.map((to) => ({ from, event, to, dynamic: tos.length > 1 }))),
    );
    const found = edges(machine).map(({ from, event, to, dynamic }) => ({ from, event, to, dynamic }));
    expect(new Set(found.map((edge) => JSON.stringify(edge)))).toEqual(
      new Set(expected.map((edge) => JSON.stringify(edge))),
    );
    expect(found).toHaveLength(expected.length);
  });

  test('has the sinks that its table has', () => {
    const expected = [...table].filter(([, row]) => row.size === 0).map(([state]) => state);
    expect(new Set(sinks(machine))).toEqual(new Set(expected));
  });
});

const targetDriven = SEED_TABLES.filter(({ id }) => id === 'task' || id === 'agent' || id === 'execution');

test.each(targetDriven)(
  'the $id machine reaches every legal pair and refuses every other, by target',
  ({ id, table }) => {
    const machine = machines[id] as MachineDefinition<string> & TargetDriven;
    let legal = 0;
    for (const from of machine.states) {
      const events = new Map([...(table.get(from) ?? [])].map(([event, [to = '']]) => [to, event]));
      for (const to of machine.states) {
        const decision = moveTo(machine, snapshotOf(machine, from), to, input);
        expect(decision.ok ? decision.record.event : undefined, `${from} to ${to}`).toBe(events.get(to));
        if (decision.ok) legal += 1;
      }
    }
    expect(legal).toBe(edges(machine).length);
  },
);
