import { expect, it } from 'vitest';
import { edges, machines, replay, type MachineDefinition, type TransitionRecord } from '@baton/fsm-core';
import { runTables, unreachedEdges } from './campaigns/tables.ts';
import { testStore } from './support/store.ts';

const held = testStore();

it(
  'takes every legal move but the published ones, and refuses every other, in kernel and database',
  { timeout: 180_000 },
  async () => {
    const figures = await runTables({ url: held.url });
    expect(figures.unreachedPublished).toEqual([...unreachedEdges].sort());
    expect(figures.legalTotal).toBe(
      Object.values(machines).reduce((sum, machine: MachineDefinition) => sum + edges(machine).length, 0),
    );
    expect(figures.legalReached).toBe(figures.legalTotal - unreachedEdges.length);
    expect(figures.byMachine['task']).toEqual({
      legal: 30,
      reached: 30,
      illegal: 114,
      refusedByKernel: 114,
      refusedByDatabase: 114,
    });
    expect(figures.byMachine['turn']).toEqual({
      legal: 18,
      reached: 18,
      illegal: 72,
      refusedByKernel: 72,
      refusedByDatabase: 72,
    });
    expect(figures.illegalRefusedByKernel).toBe(figures.illegalTotal);
    expect(figures.illegalRefusedByDatabase).toBe(figures.illegalTotal);
    expect(await held.store.audit.verify()).toMatchObject({ broken: [] });
  },
);

it('replays every history to the state of its row', async () => {
  const rows =
    await held.sql(`SELECT machine, version, entity_id AS "entityId", seq, from_state AS "from", to_state AS "to", event, kind FROM lifecycle_event
    WHERE kind IN ('move', 'override') AND machine <> 'run' ORDER BY id, n`);
  const histories = Map.groupBy(rows, (row) => `${String(row['machine'])} ${String(row['entityId'])}`);
  expect(histories.size).toBeGreaterThan(50);
  for (const records of histories.values()) {
    const machine: MachineDefinition = machines[records[0]?.['machine'] as keyof typeof machines];
    const result = replay(machine, records as unknown as TransitionRecord[]);
    expect(result).toMatchObject({ ok: true, state: records.at(-1)?.['to'], seq: records.at(-1)?.['seq'] });
  }
});
