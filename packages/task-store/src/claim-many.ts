import { BatonError } from '@baton/contracts';
import type { Store } from './api.ts';
import { claimOf } from './claim-of.ts';
import { queryOne, type Db } from './db.ts';
import { claimSetStatement } from './sql/claim-set.ts';

const mostClaims = 200;

/** Takes many ready tasks in one statement, a session each. @throws INVALID_INPUT for more than 200 */
export const claimMany =
  (db: Db): Store['claimMany'] =>
  async ({ workerId, leaseMs, runId, capabilities, count }) => {
    if (!Number.isInteger(count) || count < 1 || count > mostClaims)
      throw new BatonError('INVALID_INPUT', `One call claims 1 to ${mostClaims} tasks, not ${count}.`, {
        fix: 'Call it again for more.',
      });
    const fresh = () => Array.from({ length: count }, () => db.ids.uuid());
    const [sessionIds, attemptIds] = [fresh(), fresh()];
    const row = await queryOne(db, claimSetStatement, [
      ...[
        workerId,
        capabilities.host,
        capabilities.labels,
        capabilities.roles ?? null,
        runId ?? null,
        leaseMs,
      ],
      ...[sessionIds, attemptIds, db.runs.known()],
    ]);
    const { tasks, runs, now, expires } = row?.answer ?? { tasks: [], runs: [] };
    if (now === undefined || expires === undefined) return [];
    db.poke('events');
    for (const run of runs) db.runs.keep(run);
    return tasks.map((item, at) =>
      claimOf(db, {
        taken: { ok: true, now, expires, tasks: [item], run: null, money: null },
        attempt: {
          search: { workerId },
          sessionId: sessionIds[at] ?? '',
          attemptIds: [attemptIds[at] ?? ''],
        },
      }),
    );
  };
