import type { ClaimRequest } from '../model/requests.ts';
import { claimOf } from './to-claim.ts';
import { queryOne, type Db } from '../db/query.ts';
import { claimSetStatement } from './claim-set.sql.ts';
import type { Claim } from '../model/task.ts';

/** What claims of one kind have in common. */
export type ClaimKind = Pick<ClaimRequest, 'leaseMs' | 'runId' | 'capabilities'>;

/** The claims of a set in the order of the workers, fewer than those when there was less. */
export interface ClaimedSet {
  claims: Claim[];
  /** More is ready, which has to be claimed one by one: it needs a slot, paths or money. */
  cut: boolean;
}

/** Takes ready tasks in one statement, a session of one task for each of these workers. */
export async function claimSet(
  db: Db,
  { leaseMs, runId, capabilities }: ClaimKind,
  workerIds: readonly string[],
): Promise<ClaimedSet> {
  const { host, labels, roles } = capabilities;
  const [sessionIds, attemptIds] = [workerIds.map(() => db.ids.uuid()), workerIds.map(() => db.ids.uuid())];
  const row = await queryOne(db, claimSetStatement, [
    ...[workerIds, host, labels, roles ?? null, runId ?? null, leaseMs],
    ...[sessionIds, attemptIds, db.runs.known()],
  ]);
  const { tasks, runs, now, expires, money, cut } = row?.answer ?? {
    tasks: [],
    runs: [],
    // No answer: one of the workers is draining. The others look for themselves.
    cut: true,
  };
  if (now === undefined || expires === undefined) return { claims: [], cut };
  db.wake('events');
  for (const run of runs) db.runs.keep(run);
  const claims = tasks.map((item, at) =>
    claimOf(db, {
      taken: { ok: true, now, expires, tasks: [item], run: null, money: money?.[item.task.runId] ?? null },
      attempt: {
        search: { workerId: workerIds[at] ?? '' },
        sessionId: sessionIds[at] ?? '',
        attemptIds: [attemptIds[at] ?? ''],
      },
    }),
  );
  return { claims, cut };
}
