-- Many claims at once, in the very order of single ones.

-- What workers of one kind can take.
CREATE TYPE claim_set_request AS (
  workers text[], host text, labels text[], roles text[], run_id uuid, lease_ms integer, session_ids uuid[],
  attempt_ids uuid[], known_runs text[]
);

-- Claims many tasks at once, a session of one task each, for several workers of one kind. It takes the ready tasks in
-- the very order of single claims, up to the first that needs a slot or paths: that one is claimed by itself. `cut`
-- says that there was one, or that budgets had no room for all. Null: one of the workers drains, so that each looks
-- for itself.
CREATE FUNCTION baton_claim_many_as_set(req claim_set_request) RETURNS json LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  expires timestamptz := moment + req.lease_ms * interval '1 millisecond';
  ids uuid[];
  size integer;
  found integer;
  runs uuid[];
  capped uuid[];
  items json;
  v_step smallint := baton_step('task|OPEN|claim||CLAIMED|move|| turn|IDLE|task_claimed||CLAIMING|move||');
BEGIN
  IF NOT baton_may_claim(req.workers) THEN RETURN NULL; END IF;
  -- Two forms of one query, so that each has the index in its own order.
  IF req.run_id IS NULL THEN
    SELECT array_agg(h.id ORDER BY h.n) FILTER (WHERE h.plain), count(*) INTO ids, found
      FROM (SELECT o.id, o.n, bool_and(o.plain) OVER (ORDER BY o.n) AS plain
        FROM (SELECT o.id, o.plain, row_number() OVER (ORDER BY o.rank, o.id) AS n
          FROM (SELECT o.id, o.rank, o.files = '{}' AND r.max_agents IS NULL AS plain
            FROM task o CROSS JOIN LATERAL (SELECT r.max_agents FROM run r WHERE r.id = o.run_id OFFSET 0) r
            WHERE o.ready
              AND (o.host IS NULL OR o.host = req.host) AND o.labels <@ req.labels
              AND (req.roles IS NULL OR o.role = ANY (req.roles))
              AND (o.files = '{}' OR baton_paths_free(o.run_id, o.files, o.rank))
            ORDER BY o.rank, o.id LIMIT cardinality(req.session_ids) FOR NO KEY UPDATE OF o SKIP LOCKED) o) o) h;
  ELSE
    SELECT array_agg(h.id ORDER BY h.n) FILTER (WHERE h.plain), count(*) INTO ids, found
      FROM (SELECT o.id, o.n, bool_and(o.plain) OVER (ORDER BY o.n) AS plain
        FROM (SELECT o.id, o.plain, row_number() OVER (ORDER BY o.rank, o.id) AS n
          FROM (SELECT o.id, o.rank, o.files = '{}' AND r.max_agents IS NULL AS plain
            FROM task o CROSS JOIN LATERAL (SELECT r.max_agents FROM run r WHERE r.id = o.run_id OFFSET 0) r
            WHERE o.run_id = req.run_id AND o.ready
              AND (o.host IS NULL OR o.host = req.host) AND o.labels <@ req.labels
              AND (req.roles IS NULL OR o.role = ANY (req.roles))
              AND (o.files = '{}' OR baton_paths_free(o.run_id, o.files, o.rank))
            ORDER BY o.rank, o.id LIMIT cardinality(req.session_ids) FOR NO KEY UPDATE OF o SKIP LOCKED) o) o) h;
  END IF;
  size := coalesce(cardinality(ids), 0);
  -- Read only now: a cap is set under the locks of the tasks that wait, so none comes after this.
  SELECT array_agg(b.run_id) INTO capped FROM budget b WHERE b.cap_micro_usd IS NOT NULL
    AND b.run_id IN (SELECT t.run_id FROM task t WHERE t.id = ANY (ids));
  IF size > 0 AND capped IS NOT NULL AND NOT baton_reserve_all(ids, req.attempt_ids, capped) THEN
    size := 0;
  END IF;
  IF size = 0 THEN
    RETURN json_build_object('tasks', '[]'::json, 'runs', '[]'::json, 'cut', found > 0);
  END IF;
  WITH held AS (
      UPDATE task t SET status = 'CLAIMED', version = t.version + 1, fence = t.fence + 1, claimable = false,
        paths_wanted_since = NULL, updated_at = moment
        WHERE t.id = ANY (ids) RETURNING t.*),
    made AS (
      INSERT INTO attempt (id, task_id, run_id, session_id, number, place, fence, worker_id, lease_expires_at,
        turn_status, turn_seq, created_at)
        SELECT req.attempt_ids[g.n], h.id, h.run_id, req.session_ids[g.n],
          coalesce((SELECT max(o.number) FROM attempt o WHERE o.task_id = h.id), 0) + 1, 1,
          h.fence, req.workers[g.n], expires, 'CLAIMING', 1, moment
        FROM held h JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id
        RETURNING task_id, number),
    sat AS (
      INSERT INTO agent_session (id, run_id, worker_id, host, created_at)
        SELECT req.session_ids[g.n], h.run_id, req.workers[g.n], req.host, moment FROM held h
          JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id),
    put AS (
      INSERT INTO change (at, step, run_id, task_id, attempt_id, session_id, task_seq, turn_seq, number, fence, actor,
          reason)
        SELECT moment, v_step, h.run_id, h.id, req.attempt_ids[g.n], req.session_ids[g.n], h.version, 1, m.number,
            h.fence, 'worker:' || req.workers[g.n], 'claimed'
          FROM held h JOIN made m ON m.task_id = h.id JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id
          ORDER BY g.n)
  SELECT array_agg(h.run_id ORDER BY g.n),
      json_agg(json_build_object('task', h, 'number', m.number, 'fence', h.fence,
        'earlier', CASE WHEN m.number > 1 THEN baton_earlier(h.id, m.number) END, 'predecessors',
          CASE WHEN EXISTS (SELECT 1 FROM task_dependency d WHERE d.task_id = h.id) THEN baton_predecessors(h.id) END)
        ORDER BY g.n)
    INTO runs, items
    FROM held h JOIN made m ON m.task_id = h.id JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id;
  RETURN json_build_object('now', moment, 'expires', expires, 'tasks', items, 'cut', found > size, 'runs', (
      SELECT coalesce(json_agg(json_build_object('mark', r.xmin::text, 'run', to_jsonb(r) || baton_run_money(r.id),
        'repo', p)), '[]')
        FROM run r JOIN repo p ON p.id = r.repo_id WHERE r.id = ANY (runs)
          AND r.id || ':' || r.xmin::text <> ALL (req.known_runs)),
    'money', CASE WHEN capped IS NOT NULL THEN (SELECT json_object_agg(c.id, baton_run_money(c.id))
      FROM unnest(capped) AS c(id)) END);
END;
$$;
