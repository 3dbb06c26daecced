import type pg from 'pg';
import type { MachineDefinition } from '@baton/fsm-core';

interface Move {
  from: string;
  to: string;
  event: string;
  kind?: 'move' | 'override';
}

const insert = 'SELECT baton_add_steps(ARRAY[-1]::smallint[], ARRAY[$1], $2)';

/**
 * Tries each cell on the database as a step of the dictionary, with every event (or every target) that could go with it, and counts
 * the cells that were refused in all forms as no move of their machine. Leaves nothing behind.
 */
export async function refusedByDatabase(
  client: pg.Client,
  machine: MachineDefinition,
  cells: Cell[],
): Promise<number> {
  await client.query('BEGIN');
  try {
    let refused = 0;
    for (const cell of cells) {
      let all = true;
      for (const move of formsOf(machine, cell)) all &&= await isRefused(client, { machine, move });
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
  { machine, move }: { machine: MachineDefinition; move: Move },
): Promise<boolean> {
  await client.query('SAVEPOINT attempt');
  try {
    const { from, event, to, kind = 'move' } = move;
    await client.query(insert, [`${machine.id}|${from}|${event}||${to}|${kind}||`, false]);
    return false;
  } catch (error) {
    // Only the table's own refusal counts: any other error would hide a hole. A legal one is refused since the dictionary is closed.
    return (error as { code?: string }).code === 'BA001';
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT attempt');
  }
}

/** One place in a machine's grid: (from, to) where it is driven by target, (state, event) where by event. */
export interface Cell {
  from: string;
  /** Event or target. */
  what: string;
}
