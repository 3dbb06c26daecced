import { openStore } from '../src/index.ts';
import { expect, it } from 'vitest';
import { draft } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const by = { actor: 'worker:w1' };

it('refuses a report that a former holder decides on what it still remembers', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  // Another process takes the attempt over; nothing but its fence tells the holder so.
  const other = await openStore({ url: held.url });
  try {
    await held.sql('UPDATE attempt SET fence = fence + 1, worker_id = $2 WHERE run_id = $1', [runId, 'w2']);
    const [before] = await other.tasks.listAttempts({ runId });
    expect(
      await held.store.claims.record({ fact: 'tool_started', holding: holding(claim) }, by),
    ).toMatchObject({
      ok: false,
      code: 'LEASE_LOST',
    });
    expect(await other.tasks.listAttempts({ runId })).toEqual([before]);
    const notes = await other.tasks.history({ entityId: claim.tasks[0]?.task.id ?? '', machine: 'task' });
    expect(notes.at(-1)).toMatchObject({ kind: 'late_report', event: 'tool_started' });
  } finally {
    await other.close();
  }
});
