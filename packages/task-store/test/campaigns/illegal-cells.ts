import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { shortestPath, type MachineDefinition } from '@baton/fsm-core';
import type { Cell } from './tables.ts';

/** Where an entity stands. */
interface Standing {
  entityId: string;
  seq: number;
}

interface Move {
  from: string;
  to: string;
  event: string;
  kind?: 'move' | 'override';
}

const insert = `INSERT INTO lifecycle_event (machine, entity_id, seq, from_state, to_state, event, kind, actor, reason)
  VALUES ($1, $2, $3, $4, $5, $6, $7, 'campaign', 'tried')`;

/**
 * Tries each cell on the database by direct insert, with every event (or every target) that could go with it, and counts the
 * cells that were refused in all forms. Leaves nothing behind.
 */
export async function refusedByDatabase(
  client: pg.Client,
  machine: MachineDefinition,
  cells: Cell[],
): Promise<number> {
  await client.query('BEGIN');
  try {
    const standings = new Map<string, Standing>();
    for (const state of machine.states) standings.set(state, await standIn(client, machine, state));
    let refused = 0;
    for (const cell of cells) {
      const standing = standings.get(cell.from);
      const forms = formsOf(machine, cell);
      let all = standing !== undefined;
      for (const form of forms)
        all &&= standing !== undefined && (await isRefused(client, { machine, standing, move: form }));
      if (all) refused++;
    }
    return refused;
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Every way to write the cell down as a move. */
function formsOf(machine: MachineDefinition, { from, what }: Cell): Move[] {
  const events = [...new Set(machine.rules.map((rule) => rule.on))];
  if (machine.drivenBy === 'event') return machine.states.map((to) => ({ from, to, event: what }));
  return events.map((event) => ({ from, to: what, event }));
}

async function isRefused(
  client: pg.Client,
  options: { machine: MachineDefinition; standing: Standing; move: Move },
): Promise<boolean> {
  const { machine, standing, move } = options;
  await client.query('SAVEPOINT attempt');
  try {
    await client.query(insert, [
      machine.id,
      standing.entityId,
      standing.seq + 1,
      move.from,
      move.to,
      move.event,
      move.kind ?? 'move',
    ]);
    return false;
  } catch (error) {
    // Only the table's own refusal counts: any other error would hide a hole.
    return (error as { code?: string }).code === 'BA001';
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT attempt');
  }
}

/** An entity that stands in this state: one that the scenarios left there, else a new one led there by legal moves. */
async function standIn(client: pg.Client, machine: MachineDefinition, state: string): Promise<Standing> {
  const { rows } = await client.query<{ entity_id: string; seq: number }>(
    `SELECT entity_id, seq FROM (SELECT DISTINCT ON (entity_id) entity_id, seq, to_state FROM lifecycle_event WHERE machine = $1
       ORDER BY entity_id, seq DESC, note DESC) newest WHERE to_state = $2 LIMIT 1`,
    [machine.id, state],
  );
  const [found] = rows;
  if (found !== undefined) return { entityId: found.entity_id, seq: found.seq };
  const entityId = randomUUID();
  const ways = machine.initial.map((first) => shortestPath(machine, first, state));
  const way = ways.find((each) => each?.length === 0) ?? ways.find((each) => each !== null) ?? null;
  if (way === null) throw new Error(`${machine.id}: no way to ${state}`);
  if (way.length === 0) {
    await client.query(insert, [machine.id, entityId, 0, null, state, 'created', 'created']);
    return { entityId, seq: 0 };
  }
  for (const [at, edge] of way.entries())
    await client.query(insert, [machine.id, entityId, at + 1, edge.from, edge.to, edge.event, 'move']);
  return { entityId, seq: way.length };
}
