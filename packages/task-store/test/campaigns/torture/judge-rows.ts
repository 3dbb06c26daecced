import type { Store } from '../../../src/index.ts';

/** Asks the database something that no API tells. */
export type Ask = (text: string) => Promise<Record<string, unknown>[]>;

/** What may never be in any store, also right after a kill, before anybody has repaired anything. */
export async function judgeRows({ store, sql }: { store: Store; sql: Ask }): Promise<string[]> {
  const wrong: string[] = [];
  for (const task of (await store.tasks.list({ limit: 200 })).items) {
    const told = await store.tasks.explain(task.id);
    if (told.owner === '' || told.text === '')
      wrong.push(`${task.key} (${task.status}) has no owner or reason`);
    // By what `explain` itself read: a statement of a client that was killed may commit between the two.
    if (!told.settled && told.cause === 'settled')
      wrong.push(`${task.key} is ${told.status} and said to be settled`);
  }
  const { broken } = await store.audit.verify();
  wrong.push(
    ...broken.map(
      ({ machine, entityId, seq, what }) => `history of ${machine} ${entityId} at ${seq}: ${what}`,
    ),
    ...(await wrongMoney(sql)),
  );
  const found = await sql(`
    SELECT 'two open attempts' AS what, task_id::text AS id FROM attempt WHERE ended_at IS NULL GROUP BY task_id HAVING count(*) > 1
    UNION ALL SELECT 'CLOSED without a confirmed landing', t.id::text FROM task t
      WHERE t.status = 'CLOSED' AND NOT EXISTS (SELECT 1 FROM landing l WHERE l.task_id = t.id AND l.confirmed_at IS NOT NULL)
    UNION ALL SELECT 'landed twice', task_id::text FROM landing WHERE confirmed_at IS NOT NULL GROUP BY task_id HAVING count(*) > 1
    UNION ALL SELECT 'claimed or worked on without an open attempt', t.id::text FROM task t WHERE t.status IN ('CLAIMED', 'IN_PROGRESS', 'ORPHANED')
      AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.task_id = t.id AND a.ended_at IS NULL)
    UNION ALL SELECT 'waits for fewer or more than its open dependencies', t.id::text FROM task t
      WHERE t.pending_dependencies <> (SELECT count(*) FROM task_dependency d JOIN task o ON o.id = d.depends_on_id
        WHERE d.task_id = t.id AND o.status <> 'CLOSED')
    UNION ALL SELECT CASE WHEN t.claimable THEN 'claimable in a run that takes no claims, or before its time' ELSE 'not claimable, for no reason' END, t.id::text
      FROM task t JOIN run r ON r.id = t.run_id JOIN budget b ON b.run_id = r.id
      WHERE t.status = 'OPEN' AND CASE WHEN t.claimable THEN r.status IN ('paused', 'cancelled', 'failed') OR t.not_before > now()
        ELSE r.status NOT IN ('paused', 'cancelled', 'failed') AND NOT b.held AND NOT b.starved AND t.not_before IS NULL END`);
  return [...wrong, ...found.map(({ what, id }) => `task ${String(id)}: ${String(what)}`)];
}

async function wrongMoney(sql: Ask): Promise<string[]> {
  const wrong =
    await sql(`SELECT * FROM (SELECT b.run_id, b.cap_micro_usd AS cap, b.spent_micro_usd AS spent, b.reserved_micro_usd AS reserved,
      coalesce((SELECT sum(e.cost_micro_usd) FROM usage_entry e JOIN attempt a ON a.id = e.attempt_id WHERE a.run_id = b.run_id), 0) AS booked,
      coalesce((SELECT sum(r.left_micro_usd) FROM reservation r WHERE r.run_id = b.run_id), 0) AS bound
    FROM budget b) AS money WHERE spent + reserved > cap OR spent <> booked OR reserved <> bound`);
  return wrong.map((row) => `money does not add up: ${JSON.stringify(row)}`);
}

/** Rows that last only as long as somebody works: what is left of them when all is over. */
export async function leftRows(sql: Ask): Promise<string[]> {
  const rows = await sql(`SELECT * FROM (VALUES
    ('open attempts', (SELECT count(*) FROM attempt WHERE ended_at IS NULL)),
    ('live sessions', (SELECT count(*) FROM agent_session WHERE ended_at IS NULL)),
    ('slots', (SELECT count(*) FROM slot)), ('path locks', (SELECT count(*) FROM path_lock)),
    ('reservations', (SELECT count(*) FROM reservation WHERE left_micro_usd > 0)),
    ('open intents', (SELECT count(*) FROM landing WHERE confirmed_at IS NULL AND abandoned_at IS NULL)),
    ('held lanes', (SELECT count(*) FROM lane WHERE worker_id IS NOT NULL)),
    ('workers not offline', (SELECT count(*) FROM worker WHERE status <> 'offline')),
    ('waiting approvals', (SELECT count(*) FROM approval WHERE status = 'waiting'))
  ) AS left_over (what, count) WHERE count > 0`);
  const sessions =
    await sql(`SELECT s.worker_id, s.adapter, s.pid, s.status, s.execution_state, s.activity, s.created_at,
      (SELECT jsonb_agg(jsonb_build_object('task', t.key, 'now', t.status, 'outcome', a.outcome, 'ended', a.ended_at) ORDER BY a.place)
        FROM attempt a JOIN task t ON t.id = a.task_id WHERE a.session_id = s.id) AS attempts,
      (SELECT jsonb_agg(e.event || ' by ' || e.actor ORDER BY e.id, e.n) FROM lifecycle_event e WHERE e.entity_id = s.id) AS events
    FROM agent_session s WHERE s.ended_at IS NULL`);
  return [
    ...rows.map(({ what, count }) => `left over: ${String(count)} ${String(what)}`),
    ...sessions.map((session) => `still live: ${JSON.stringify(session)}`),
  ];
}
