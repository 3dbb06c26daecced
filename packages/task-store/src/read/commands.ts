import type { z } from 'zod';
import type { Store } from '../api/store.ts';
import { orNotFound, queryOne, type Db } from '../db/query.ts';
import { commandById, openCommandStatement } from './commands.sql.ts';

/** The command of this id that had its effect before, with what it was answered; null: there was none, or the caller names none. */
export async function earlierCommand(
  db: Db,
  id: string | undefined,
): Promise<z.output<typeof commandById.row> | null> {
  return id === undefined ? null : queryOne(db, commandById, [id]);
}

/** Writes down what is asked under an id, the first time, and gives what was asked then. */
export const openCommand =
  (db: Db): Store['commands']['open'] =>
  async ({ id, actor, request }) =>
    orNotFound(await queryOne(db, openCommandStatement, [id, actor, request]), `command ${id}`).request;
