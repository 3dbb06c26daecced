import pg from 'pg';
import {
  decide,
  edges,
  machines,
  moveTo,
  type MachineDefinition,
  type MachineId,
  type TargetDriven,
} from '@baton/fsm-core';
import { migrate, openStore } from '../../src/index.ts';
import { type Cell, refusedByDatabase } from './illegal-cells.ts';
import { playScenarios } from './scenarios.ts';
import { unreachedEdges } from './unreached-edges.ts';

/** What the campaign shows of one machine. */
export interface MachineFigures {
  legal: number;
  /** Legal moves taken through the public API; for cognitive, which has no rows, by the kernel. */
  reached: number;
  illegal: number;
  refusedByKernel: number;
  refusedByDatabase: number;
}

export interface TablesFigures {
  legalReached: number;
  legalTotal: number;
  /** Legal moves that were not taken; equal to the published list, or the campaign does not hold. */
  unreachedPublished: string[];
  illegalRefusedByKernel: number;
  illegalRefusedByDatabase: number;
  illegalTotal: number;
  byMachine: Record<string, MachineFigures>;
}

const eventsOf = (machine: MachineDefinition) => [...new Set(machine.rules.map((rule) => rule.on))];

/** All places of the grid that the table does not hold. */
export function illegalCells(machine: MachineDefinition): Cell[] {
  const byEvent = machine.drivenBy === 'event';
  const legal = new Set(edges(machine).map((edge) => `${edge.from}|${byEvent ? edge.event : edge.to}`));
  const columns = byEvent ? eventsOf(machine) : machine.states;
  const cells = machine.states.flatMap((from) => columns.map((what) => ({ from, what })));
  return cells.filter(({ from, what }) => !legal.has(`${from}|${what}`));
}

/** Does the kernel refuse the cell? */
function refusedByKernel(machine: MachineDefinition, { from, what }: Cell): boolean {
  const snapshot = { entityId: 'tried', state: from, seq: 1, context: machine.emptyContext };
  const input = { actor: 'campaign', reason: 'tried', at: 0 };
  const decision =
    machine.drivenBy === 'event'
      ? decide(machine, snapshot, { ...input, type: what })
      : moveTo(machine as TargetDriven, snapshot, what, input);
  return !decision.ok;
}

/**
 * Plays every scenario through the public API on a database, then tries every illegal cell of all five machines on the kernel
 * and, as steps of the dictionary, on the database.
 * @param options.url an empty database; it is migrated first
 */
export async function runTables({ url }: { url: string }): Promise<TablesFigures> {
  await migrate(url);
  const store = await openStore({ url, random: () => 0 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await playScenarios(store);
    const taken = await takenMoves(client);
    const byMachine: Record<string, MachineFigures> = {};
    const unreached: string[] = [];
    for (const id of Object.keys(machines) as MachineId[]) {
      const machine: MachineDefinition = machines[id];
      const legal = edges(machine);
      const missing =
        id === 'cognitive'
          ? []
          : legal.filter((edge) => !taken.has(`${id}|${edge.from}|${edge.event}|${edge.to}`));
      unreached.push(...missing.map((edge) => `${id}: ${edge.from} → ${edge.to}`));
      const illegal = illegalCells(machine);
      byMachine[id] = {
        legal: legal.length,
        reached: legal.length - missing.length,
        illegal: illegal.length,
        refusedByKernel: illegal.filter((cell) => refusedByKernel(machine, cell)).length,
        refusedByDatabase: await refusedByDatabase(client, machine, illegal),
      };
    }
    return total(byMachine, unreached.sort());
  } finally {
    await client.end();
    await store.close();
  }
}

async function takenMoves(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ move: string }>(
    `SELECT DISTINCT concat_ws('|', machine, from_state, event, to_state) AS move FROM lifecycle_event WHERE kind = 'move'`,
  );
  return new Set(rows.map((row) => row.move));
}

function total(byMachine: Record<string, MachineFigures>, unreached: string[]): TablesFigures {
  const sum = (of: (figures: MachineFigures) => number) =>
    Object.values(byMachine).reduce((all, figures) => all + of(figures), 0);
  return {
    legalReached: sum((figures) => figures.reached),
    legalTotal: sum((figures) => figures.legal),
    unreachedPublished: unreached,
    illegalRefusedByKernel: sum((figures) => figures.refusedByKernel),
    illegalRefusedByDatabase: sum((figures) => figures.refusedByDatabase),
    illegalTotal: sum((figures) => figures.illegal),
    byMachine,
  };
}

export { unreachedEdges };
