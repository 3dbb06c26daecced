import type { Actor } from '../model/requests.ts';
import { query, type Db } from '../db/query.ts';
import { reopenRun } from './move-run.ts';
import { deliveredToEnded } from './reopen-delivered.sql.ts';

/** Reopens standing runs that a delivery has made tasks for after they had ended: the server that accepted it died before it could. */
export async function reopenDelivered(
  db: Db,
  { taskIds, by }: { taskIds: readonly string[] | null; by: Actor },
): Promise<void> {
  const runs = await query(db, deliveredToEnded, [taskIds]);
  for (const { id } of runs) await reopenRun(db, id, { ...by, evenCancelled: true });
  if (runs.length > 0) db.wake('work');
}
