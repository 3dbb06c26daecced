import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { by, draft } from './support/builders.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const ids = () => [1, 2, 3].map(() => crypto.randomUUID());

it.each([
  ['of one run', (runId: string) => runId],
  ['of all runs', () => null],
])(
  'reserves for tasks %s that several workers take at the moment at which their run gets a budget',
  async (_, among) => {
    const files = ['src/a'];
    const { runId } = await held.flow.open([
      draft('holder', { files }),
      draft('passed-over', { files }),
      draft('one'),
      draft('two'),
    ]);
    await held.flow.claim(runId);
    const [keeper, claimer] = [await held.connection(), await held.connection()];
    try {
      // The set has read the run, and now waits to read the paths: it has locked no task yet.
      await keeper.query('BEGIN; LOCK TABLE path_lock IN ACCESS EXCLUSIVE MODE');
      const claiming = claimer.query(
        `SELECT baton_claim_many(ROW($1, 'here', '{}', NULL, $2, 60000, $3, $4, '{}')::claim_set_request) AS answer`,
        [['w1', 'w2', 'w3'], among(runId), ids(), ids()],
      );
      await until(
        async () =>
          (
            await held.sql(
              `SELECT 1 FROM pg_locks WHERE relation = 'path_lock'::regclass AND NOT granted AND database =
            (SELECT oid FROM pg_database WHERE datname = current_database())`,
            )
          ).length > 0,
        { what: 'the claim waits for the paths' },
      );
      await held.store.runs.setBudget(runId, { ...by, capMicroUsd: 600_000 });
      await keeper.query('COMMIT');
      await claiming;
    } finally {
      await keeper.end();
      await claimer.end();
    }
    const unreserved = await held.sql(
      `SELECT t.key FROM attempt a JOIN task t ON t.id = a.task_id WHERE a.run_id = $1 AND a.ended_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM reservation r WHERE r.attempt_id = a.id)`,
      [runId],
    );
    expect(unreserved).toEqual([]);
    const run = await held.store.runs.get(runId);
    expect((run?.spentMicroUsd ?? 0) + (run?.reservedMicroUsd ?? 0)).toBeLessThanOrEqual(600_000);
    // What is left is given out to one of them, and reserved.
    await held.flow.claim(runId);
    expect(await held.store.runs.get(runId)).toMatchObject({ spentMicroUsd: 0, reservedMicroUsd: 600_000 });
    await held.store.runs.cancel(runId, by);
  },
);
