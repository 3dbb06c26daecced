import { expect, it } from 'vitest';
import { draft } from './support/builders.ts';
import { testStore } from './support/store.ts';

const held = testStore();

/** What somebody may do who owns the server: no trigger looks. */
async function behindTheTriggers(text: string, values: unknown[] = []): Promise<void> {
  await held.sql('ALTER TABLE lifecycle_event DISABLE TRIGGER USER');
  await held.sql(text, values).finally(() => held.sql('ALTER TABLE lifecycle_event ENABLE TRIGGER USER'));
}

async function closed(): Promise<string> {
  const { runId } = await held.flow.open([draft('a')]);
  await held.flow.finish(runId);
  await held.flow.landAll(runId);
  return (await held.store.findTask('a', { runId })).id;
}

const breaksOf = async (entityId: string, heads = false) => {
  const options = heads ? { heads: kept } : {};
  const { broken } = await held.store.verifyAudit(options);
  return broken.filter((each) => each.entityId === entityId).map(({ what }) => what);
};
let kept: Awaited<ReturnType<typeof held.store.auditHeads>> = [];
const keepHeads = async () => {
  kept = await held.store.auditHeads({ limit: 10_000 });
};

it('finds a changed field', async () => {
  const id = await closed();
  await behindTheTriggers(
    `UPDATE lifecycle_event SET actor = 'worker:innocent' WHERE entity_id = $1 AND seq = 2`,
    [id],
  );
  expect(await breaksOf(id)).toEqual(['hash']);
});

it('finds a removed event in the middle, and a removed beginning', async () => {
  const id = await closed();
  await behindTheTriggers('DELETE FROM lifecycle_event WHERE entity_id = $1 AND seq = 2', [id]);
  expect(await breaksOf(id)).toEqual(['hash']);
  const other = await closed();
  await behindTheTriggers('DELETE FROM lifecycle_event WHERE entity_id = $1 AND seq = 0', [other]);
  expect(await breaksOf(other)).toEqual(['hash']);
});

it('finds an inserted event', async () => {
  const id = await closed();
  await behindTheTriggers(
    `INSERT INTO lifecycle_event (machine, entity_id, seq, note, from_state, to_state, event, kind, actor, reason, hash)
     SELECT machine, entity_id, 2, 1, to_state, to_state, 'noted', 'refused', 'x', 'x', hash FROM lifecycle_event WHERE entity_id = $1 AND seq = 2`,
    [id],
  );
  expect(await breaksOf(id)).toContain('hash');
});

it('finds a cut tail by the row, and, when the row was put back, too, by heads that somebody kept', async () => {
  const id = await closed();
  await keepHeads();
  await behindTheTriggers('DELETE FROM lifecycle_event WHERE entity_id = $1 AND seq = 5', [id]);
  expect(await breaksOf(id)).toEqual(['row says CLOSED, history DONE']);
  await held.sql('ALTER TABLE task DISABLE TRIGGER USER');
  await held.sql(`UPDATE task SET status = 'DONE', version = 4 WHERE id = $1`, [id]);
  await held.sql('ALTER TABLE task ENABLE TRIGGER USER');
  expect(await breaksOf(id)).toEqual([]);
  expect(await breaksOf(id, true)).toEqual(['the end of its history is cut off']);
});

it('finds a run whose row says something else than its history', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  expect(await breaksOf(runId)).toEqual([]);
  await held.sql('ALTER TABLE run DISABLE TRIGGER USER');
  await held.sql(`UPDATE run SET status = 'done' WHERE id = $1`, [runId]);
  await held.sql('ALTER TABLE run ENABLE TRIGGER USER');
  expect(await breaksOf(runId)).toEqual(['row says done, history running']);
});

it('finds a history that was rewritten with new hashes only by the heads', async () => {
  const id = await closed();
  await keepHeads();
  await behindTheTriggers(
    `UPDATE lifecycle_event SET actor = 'worker:innocent' WHERE entity_id = $1 AND seq = 2`,
    [id],
  );
  await behindTheTriggers(
    `WITH RECURSIVE chain AS (
       SELECT e.seq, baton_event_hash('', e) AS hash FROM lifecycle_event e WHERE e.entity_id = $1 AND e.seq = 0
       UNION ALL SELECT e.seq, baton_event_hash(c.hash, e) FROM chain c JOIN lifecycle_event e ON e.entity_id = $1 AND e.seq = c.seq + 1)
     UPDATE lifecycle_event e SET hash = c.hash FROM chain c WHERE e.entity_id = $1 AND e.seq = c.seq`,
    [id],
  );
  expect(await breaksOf(id)).toEqual([]);
  expect(await breaksOf(id, true)).toEqual(['changed']);
});

it('finds a whole history that is gone by the heads', async () => {
  const id = await closed();
  await keepHeads();
  await behindTheTriggers('DELETE FROM lifecycle_event WHERE entity_id = $1', [id]);
  expect(await breaksOf(id, true)).toContain('its history is gone');
});
