import { expect, it } from 'vitest';
import { draft } from './support/builders.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const code = (expected: string) => (error: unknown) => (error as { code?: string }).code === expected;

it('refuses a status that its events do not tell, on every table that has one', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  await held.flow.claim(runId);
  for (const change of [
    `UPDATE task SET status = 'DONE'`,
    `UPDATE task SET version = version + 1`,
    `UPDATE attempt SET turn_status = 'RUNNING'`,
    `UPDATE agent_session SET status = 'working', status_seq = 1`,
    `UPDATE agent_session SET execution_state = 'busy', execution_seq = 2`,
    `UPDATE run SET status = 'done'`,
  ]) {
    await expect(
      held.sql(`${change} WHERE ${change.includes(' run ') ? 'id' : 'run_id'} = $1`, [runId]),
      change,
    ).rejects.toSatisfy(code('BA002'));
  }
});

it('refuses an event that does not continue its entity', async () => {
  const { tasks } = await held.flow.open([draft('a')]);
  const insert = (seq: number, from: string, to: string, event: string) =>
    held.sql(
      `INSERT INTO lifecycle_event (machine, entity_id, seq, from_state, to_state, event, kind, actor, reason) VALUES ('task', $1, $2, $3, $4, $5, 'move', 'x', 'x')`,
      [tasks[0]?.id, seq, from, to, event],
    );
  await expect(insert(3, 'OPEN', 'CLAIMED', 'claim')).rejects.toSatisfy(code('BA002'));
  await expect(insert(1, 'OPEN', 'CLAIMED', 'claim')).rejects.toSatisfy(code('BA002'));
  await expect(insert(2, 'PLANNED', 'OPEN', 'approve')).rejects.toSatisfy(code('BA002'));
  await expect(insert(2, 'OPEN', 'CLAIMED', 'start')).rejects.toSatisfy(code('BA001'));
});

it('closes no task without a confirmed landing that has a passed verdict', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  await held.flow.finish(runId);
  const [row] = await held.sql('SELECT version FROM task WHERE id = $1', [tasks[0]?.id]);
  const close = held.sql(
    `INSERT INTO lifecycle_event (machine, entity_id, seq, from_state, to_state, event, kind, actor, reason) VALUES ('task', $1, $2, 'DONE', 'CLOSED', 'verify_pass', 'move', 'x', 'x')`,
    [tasks[0]?.id, Number(row?.['version']) + 1],
  );
  await expect(close).rejects.toSatisfy(code('BA003'));
});

it('refuses overrides that no definition declares', async () => {
  const { tasks } = await held.flow.open([draft('a')]);
  const force = held.sql(
    `INSERT INTO lifecycle_event (machine, entity_id, seq, from_state, to_state, event, kind, actor, reason) VALUES ('task', $1, 2, 'OPEN', 'CLOSED', 'resolve_approval', 'override', 'x', 'x')`,
    [tasks[0]?.id],
  );
  await expect(force).rejects.toSatisfy(code('BA001'));
});

it('keeps two batches off the same path whatever the program does', async () => {
  const { runId } = await held.flow.open([draft('a', { files: ['src'] }), draft('b', { scope: 'large' })]);
  const [first, second] = [await held.flow.claim(runId), await held.flow.claim(runId)];
  expect(first.tasks[0]?.task.key).toBe('a');
  const overlap = held.sql(
    `INSERT INTO path_lock (session_id, range) SELECT $1, unnest(baton_path_ranges($2, ARRAY['src/deep/file.ts']))`,
    [second.sessionId, runId],
  );
  await expect(overlap).rejects.toSatisfy(code('23P01'));
});
