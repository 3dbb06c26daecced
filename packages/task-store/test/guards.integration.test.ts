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

/** A change of a task by hand. */
const insert = (taskId: string | undefined, seq: number, key: string) =>
  held.sql(
    `INSERT INTO change (step, task_id, task_seq, actor, reason) VALUES (baton_step($3), $1, $2, 'x', 'x')`,
    [taskId, seq, key],
  );
const cancel = 'task|OPEN|cancel||CANCELLED|move||aborted';

it('refuses a change that does not continue its entity', async () => {
  const { tasks } = await held.flow.open([draft('a')]);
  const id = tasks[0]?.id;
  await expect(insert(id, 3, cancel)).rejects.toSatisfy(code('BA002'));
  await expect(insert(id, 1, cancel)).rejects.toSatisfy(code('BA002'));
  await expect(insert(id, 2, 'task|PLANNED|approve||OPEN|move||')).rejects.toSatisfy(code('BA002'));
  const more = `INSERT INTO change (step, task_id, task_seq, turn_seq, actor, reason) VALUES (baton_step($2), $1, 2, 1, 'x', 'x')`;
  await expect(held.sql(more, [id, cancel])).rejects.toSatisfy(code('BA002'));
  const note = `INSERT INTO change (step, task_id, task_seq, note, actor, reason, extra) VALUES (baton_step('task|||||refused||'), $1, $2, $3, 'x', 'x', $4)`;
  const said = { event: 'done', state: 'OPEN' };
  for (const [seq, number, extra] of [
    [0, 1, said],
    [1, 2, said],
    [1, 1, { ...said, state: 'DONE' }],
    [1, 1, { state: 'OPEN' }],
  ] as const)
    await expect(held.sql(note, [id, seq, number, extra])).rejects.toSatisfy(code('BA002'));
  await held.sql(note, [id, 1, 1, said]);
  expect(await held.store.audit.verify()).toMatchObject({ broken: [] });
});

it('knows no step that is no move of its machine, or whose moves do not follow one another', async () => {
  const add = (key: string) =>
    held.sql('SELECT baton_add_steps(ARRAY[-1]::smallint[], ARRAY[$1], false)', [key]);
  await expect(add('task|OPEN|start||CLAIMED|move||')).rejects.toSatisfy(code('BA001'));
  await expect(add('task|OPEN|resolve_approval||CLOSED|override||')).rejects.toSatisfy(code('BA001'));
  const twice = 'task|CLAIMED|start||IN_PROGRESS|move|| task|CLAIMED|fail||FAILED|move||';
  await expect(add(twice)).rejects.toSatisfy(code('BA001'));
  await expect(add('task|||||refused|| task|OPEN|claim||CLAIMED|move||')).rejects.toSatisfy(code('BA001'));
});

it('refuses a combination of moves that no fact brings about, however legal each of them is', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  const id = tasks[0]?.id;
  for (const key of [
    'task|CLAIMED|start||IN_PROGRESS|move||',
    'task|CLAIMED|start||IN_PROGRESS|move|| turn|CLAIMING|task_failed||FAILED|move||',
    'turn|CLAIMING|agent_spawned||SPAWNING|move|| agent||created||starting|created||',
  ])
    await expect(insert(id, 3, key), key).rejects.toSatisfy(code('BA001'));
  // Single moves are steps of older records only: nothing of today is one.
  await expect(held.sql(`SELECT baton_step('task|CLAIMED|start||IN_PROGRESS|move||')`)).rejects.toSatisfy(
    code('BA001'),
  );
  await expect(
    held.sql(
      `INSERT INTO change (step, task_id, task_seq, actor, reason) SELECT id, $1, 3, 'x', 'x' FROM step WHERE key = 'task|CLAIMED|start||IN_PROGRESS|move||'`,
      [id],
    ),
  ).rejects.toSatisfy(code('BA001'));
  await expect(
    held.sql(
      `SELECT baton_add_steps(ARRAY[-1]::smallint[], ARRAY['task|CLAIMED|start||IN_PROGRESS|move|| ' || $1], false)`,
      ['turn|CLAIMING|task_failed||FAILED|move||'],
    ),
  ).rejects.toSatisfy(code('BA004'));
  const copied = 'INSERT INTO step SELECT * FROM step LIMIT 1';
  await expect(held.sql(copied)).rejects.toSatisfy(code('BA004'));
  await expect(held.sql('DELETE FROM step_move')).rejects.toSatisfy(code('BA004'));
  await held.flow.launch(claim);
});

it('lets no machine begin in a later state or with a later number', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  const [launch] = await held.sql(
    `SELECT id FROM step WHERE key LIKE 'turn|CLAIMING|agent_spawned||SPAWNING|%|created||starting|%execution|pending|%'`,
  );
  const [ready] = await held.sql(
    `SELECT id FROM step WHERE key LIKE 'task|CLAIMED|start|%turn|CLAIMING|%agent|starting|ready|%'`,
  );
  const { task, attempt } = claim.tasks[0] ?? {};
  const write = (step: unknown, seqs: (number | null)[]) =>
    held.sql(
      `INSERT INTO change (step, task_id, attempt_id, session_id, task_seq, turn_seq, agent_seq, execution_seq, actor, reason)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'x', 'x')`,
      [step, task?.id, attempt?.id, claim.sessionId, ...seqs],
    );
  const [newest] = await held.sql(`SELECT seq FROM baton_newest('turn', $1)`, [attempt?.id]);
  const turn = Number(newest?.['seq']) + 1;
  for (const seqs of [
    [null, turn, 1, 1],
    [null, turn, 0, 2],
  ])
    await expect(write(launch?.['id'], seqs)).rejects.toSatisfy(code('BA002'));
  await expect(write(ready?.['id'], [3, 3, 1, 2])).rejects.toSatisfy(code('BA002'));
  await expect(write(launch?.['id'], [null, turn, 0, 1]), 'and refuses it for nothing else').resolves.toEqual(
    [],
  );
});

it('closes no task without a confirmed landing that has a passed verdict', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const { tasks } = await held.flow.finish(runId);
  const attemptId = tasks[0]?.attempt.id;
  const [row] = await held.sql(
    'SELECT t.id, t.version, a.turn_seq FROM task t JOIN attempt a ON a.task_id = t.id WHERE a.id = $1',
    [attemptId],
  );
  const close = held.sql(
    `INSERT INTO change (step, task_id, attempt_id, task_seq, turn_seq, actor, reason)
     SELECT s.id, $1, $2, $3, $4, 'x', 'x' FROM step s WHERE s.task_to = 'CLOSED' AND s.turn_moves = 2`,
    [row?.['id'], attemptId, Number(row?.['version']) + 1, Number(row?.['turn_seq']) + 2],
  );
  await expect(close).rejects.toSatisfy(code('BA003'));
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
