import type { z } from 'zod';
import { queryOne, type Db } from '../db/query.ts';
import { commandById } from './commands.sql.ts';

/** The command of this id that had its effect before, with what it was answered; null: there was none, or the caller names none. */
export async function earlierCommand(
  db: Db,
  id: string | undefined,
): Promise<z.output<typeof commandById.row> | null> {
  return id === undefined ? null : queryOne(db, commandById, [id]);
}
