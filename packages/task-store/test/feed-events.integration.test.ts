import { expect, it } from 'vitest';
import { openStore } from '../src/index.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const page = 5_000;

it('reads for every step the events that the database expands it to', async () => {
  // One change of each step, some of a set, some with what only notes or claims have: no flow brings all of them about.
  await held.sql('ALTER TABLE change DISABLE TRIGGER change_check');
  await held.sql(
    `INSERT INTO change (step, run_id, task_id, tasks, attempt_id, session_id, task_seq, turn_seq, agent_seq, execution_seq, run_seq,
        note, number, fence, actor, reason, transition_reason, abort_reason, extra)
      SELECT s.id, gen_random_uuid(), CASE WHEN NOT is_set AND (s.task_moves > 0 OR s.turn_moves > 0 OR s.key LIKE 'task|%') THEN gen_random_uuid() END,
          CASE WHEN is_set THEN ARRAY[gen_random_uuid(), gen_random_uuid(), gen_random_uuid()] END,
          gen_random_uuid(), gen_random_uuid(), 40, 41, 42, 43, 44, CASE WHEN s.key LIKE 'task|||||%' THEN 2 END, CASE WHEN s.id % 3 = 0 THEN 5 END,
          6, 'test', 'reason ' || s.id, CASE WHEN s.id % 2 = 0 THEN 'transition' END, CASE WHEN s.id % 5 = 0 THEN 'timeout' END,
          CASE WHEN s.key LIKE 'task|||||%' THEN '{"event":"tried","state":"OPEN","metadata":{"a":1}}'::jsonb
            WHEN s.id % 4 = 0 THEN '{"metadata":{"n":1.5}}' END
        FROM step s CROSS JOIN LATERAL (SELECT s.id % 7 = 0 AND s.key LIKE 'task|%' AND s.size = 1 AS is_set) g ORDER BY s.id`,
  );
  await held.sql('ALTER TABLE change ENABLE TRIGGER change_check');
  while ((await held.store.feed.sequence()) > 0);
  const events = await held.store.feed.read({ after: 0, limit: page });
  for (let from = page; events.length === from; from += page)
    events.push(...(await held.store.feed.read({ after: from, limit: page })));
  const expanded = await held.sql(
    `SELECT e.id || '.' || e.n AS id, e.machine, e.version, e.entity_id AS "entityId", e.run_id AS "runId", e.task_id AS "taskId", e.seq,
        e.from_state AS "from", e.to_state AS "to", e.event, e.alias, e.kind, e.actor, e.reason, e.transition_reason AS "transitionReason",
        e.abort_reason AS "abortReason", e.trigger, e.metadata, e.at FROM lifecycle_event e ORDER BY e.id, e.n`,
  );
  expect(events).toHaveLength(expanded.length);
  for (const [at, { position, taskKey: _key, taskTitle: _title, ...event }] of events.entries()) {
    expect(event).toEqual(expanded[at]);
    expect(position).toBe(at + 1);
  }
  const [steps] = await held.sql('SELECT count(*)::int AS steps FROM step');
  expect(new Set(events.map(({ id }) => id.split('.')[0])).size).toBe(steps?.['steps']);
});

it('begins and ends a page amid a change, and loses nothing between pages of any size', async () => {
  const last = await held.store.feed.position();
  for (const limit of [1, 2, 3, 7]) {
    const from = last - 40;
    const pages: number[] = [];
    for (let after = from; after < last;) {
      const read = await held.store.feed.read({ after, limit });
      expect(read.length).toBe(Math.min(limit, last - after));
      pages.push(...read.map(({ position }) => Number(position)));
      after += read.length;
    }
    expect(pages).toEqual(Array.from({ length: 40 }, (_, at) => from + 1 + at));
  }
  expect(await held.store.feed.read({ after: last - 1, limit: 0 })).toEqual([]);
});

it('reads on behind a change whose step was taken out of the dictionary', async () => {
  const all = await held.store.feed.read({ after: 0, limit: page });
  const lost = all[99]?.id.split('.')[0];
  await held.sql('ALTER TABLE step_move DISABLE TRIGGER USER');
  await held.sql('DELETE FROM step_move WHERE step = (SELECT step FROM change WHERE id = $1)', [lost]);
  const reader = await openStore({ url: held.url });
  try {
    const read: string[] = [];
    for (let after = 0; ;) {
      const [event] = await reader.feed.read({ after, limit: 1 });
      if (event === undefined) break;
      read.push(event.id);
      after = Number(event.position);
      if (after > 200) break;
    }
    expect(read).toEqual(
      all
        .filter(({ id }) => id.split('.')[0] !== lost)
        .slice(0, read.length)
        .map(({ id }) => id),
    );
    expect(read.length).toBeGreaterThan(100);
  } finally {
    await reader.close();
  }
});
