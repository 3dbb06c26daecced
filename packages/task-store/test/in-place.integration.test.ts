import { expect, it } from 'vitest';
import { draft } from './support/builders.ts';
import { testStore } from './support/store.ts';

const held = testStore();

/** What facts set while an agent works, and when it is done. */
const moving = {
  task: ['status', 'version', 'fence', 'tries', 'updated_at'],
  attempt: [
    'turn_status',
    'turn_seq',
    'worker_id',
    'lease_expires_at',
    'open_tools',
    'head_commit',
    'done_at',
  ],
  agent_session: ['status', 'status_seq', 'execution_state', 'execution_seq', 'activity', 'last_sign_at'],
};

it.each(Object.entries(moving))(
  'what is set of a row of %s while an agent works is in no index, so that the row moves within its page',
  async (table, columns) => {
    const named = await held.sql(
      `SELECT c AS name, i.indexrelid::regclass::text AS index FROM pg_index i, unnest($2::text[]) c
       WHERE i.indrelid = $1::text::regclass AND pg_get_indexdef(i.indexrelid) ~ ('\\m' || c || '\\M')`,
      [table, columns],
    );
    expect(named).toEqual([]);
  },
);

it('indexes know a task that its agent has started as one that is claimed, and every other by its status', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  const id = claim.tasks[0]?.task.id ?? '';
  const stage = async () => {
    const [row] = await held.sql('SELECT status, stage FROM task WHERE id = $1', [id]);
    return [row?.['status'], row?.['stage']];
  };
  expect(await stage()).toEqual(['CLAIMED', 'CLAIMED']);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  expect(await stage()).toEqual(['IN_PROGRESS', 'CLAIMED']);
  await held.flow.done(claim);
  expect(await stage()).toEqual(['DONE', 'DONE']);
});
