-- Claims: who takes what, and what it needs to know. Order and rules: docs/spec/store.md.

-- Claims and drains of one worker exclude one another, and nothing else: when a drain has come back, no claim of it
-- is under way.
CREATE FUNCTION baton_worker_key(v_worker text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended('baton worker ' || v_worker, 0)
$$;

-- Do these workers take work at present? Holds their drains until the claim is through.
CREATE FUNCTION baton_may_claim(workers text[]) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(baton_worker_key(o.id))
    FROM (SELECT DISTINCT u.id FROM unnest(workers) AS u(id) ORDER BY u.id) o;
  RETURN NOT EXISTS (SELECT 1 FROM worker w WHERE w.id = ANY (workers) AND w.status = 'draining');
END;
$$;

-- True: there is such a worker, and its row says so now. One that has ended does not drain.
CREATE FUNCTION baton_set_worker(v_worker text, v_status text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(baton_worker_key(v_worker));
  UPDATE worker SET status = v_status WHERE id = v_worker AND NOT (status = 'offline' AND v_status = 'draining');
  RETURN EXISTS (SELECT 1 FROM worker w WHERE w.id = v_worker);
END;
$$;

-- The next ready task that this worker could take, locked; claimers skip one another's.
CREATE FUNCTION baton_claim_head(request jsonb) RETURNS SETOF task LANGUAGE plpgsql AS $$
DECLARE
  v_host text := request->>'host';
  v_labels text[] := ARRAY(SELECT jsonb_array_elements_text(request->'labels'));
  v_roles text[] := CASE WHEN jsonb_typeof(request->'roles') = 'array'
    THEN ARRAY(SELECT jsonb_array_elements_text(request->'roles')) END;
  v_run uuid := (request->>'run')::uuid;
  v_task uuid := (request->>'task')::uuid;
  v_skip uuid[] := ARRAY(SELECT jsonb_array_elements_text(request->'skip_tasks')::uuid);
  v_skip_runs uuid[] := ARRAY(SELECT jsonb_array_elements_text(request->'skip_runs')::uuid);
BEGIN
  -- Three forms of one query, so that each has the index in its own order.
  IF v_task IS NOT NULL THEN
    RETURN QUERY SELECT t.* FROM task t
      WHERE t.id = v_task AND t.ready
        AND t.id <> ALL (v_skip) AND t.run_id <> ALL (v_skip_runs)
        AND (t.host IS NULL OR t.host = v_host) AND t.labels <@ v_labels AND (v_roles IS NULL OR t.role = ANY (v_roles))
      FOR UPDATE OF t SKIP LOCKED;
  ELSIF v_run IS NOT NULL THEN
    RETURN QUERY SELECT t.* FROM task t
      WHERE t.run_id = v_run AND t.ready
        AND (t.host IS NULL OR t.host = v_host) AND t.labels <@ v_labels AND (v_roles IS NULL OR t.role = ANY (v_roles))
        AND t.id <> ALL (v_skip) AND t.run_id <> ALL (v_skip_runs)
        AND (t.files = '{}' OR baton_paths_free(t.run_id, t.files, t.rank))
      ORDER BY t.rank, t.id LIMIT 1 FOR UPDATE OF t SKIP LOCKED;
  ELSE
    RETURN QUERY SELECT t.* FROM task t
      WHERE t.ready
        AND (t.host IS NULL OR t.host = v_host) AND t.labels <@ v_labels AND (v_roles IS NULL OR t.role = ANY (v_roles))
        AND t.id <> ALL (v_skip) AND t.run_id <> ALL (v_skip_runs)
        AND (t.files = '{}' OR baton_paths_free(t.run_id, t.files, t.rank))
      ORDER BY t.rank, t.id LIMIT 1 FOR UPDATE OF t SKIP LOCKED;
  END IF;
END;
$$;

-- What could share a batch with this head: ready tasks of its run, and those that wait only for such ones.
CREATE FUNCTION baton_claim_mates(head task, v_max integer) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
  WITH alike AS (
    SELECT t.* FROM task t WHERE t.run_id = head.run_id AND t.id <> head.id AND t.stage = 'OPEN' AND t.claimable
      AND NOT t.cancel_requested
      AND t.role = head.role AND t.labels = head.labels AND t.scope IN ('small', 'medium') AND t.continue_from IS NULL
      AND t.agent IS NOT DISTINCT FROM head.agent AND t.model IS NOT DISTINCT FROM head.model
      AND t.effort IS NOT DISTINCT FROM head.effort
      AND (t.source->>'trusted') IS NOT DISTINCT FROM (head.source->>'trusted')),
  ready AS (SELECT * FROM alike WHERE pending_dependencies = 0 ORDER BY rank, id LIMIT v_max),
  near AS (SELECT a.* FROM alike a WHERE a.pending_dependencies BETWEEN 1 AND 2 AND EXISTS (
    SELECT 1 FROM task_dependency d WHERE d.task_id = a.id AND NOT d.satisfied
      AND (d.depends_on_id = head.id OR d.depends_on_id IN (SELECT id FROM ready))) ORDER BY a.rank, a.id LIMIT v_max)
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'files', c.files, 'scope', c.scope, 'waitsFor', coalesce((
    SELECT jsonb_agg(d.depends_on_id) FROM task_dependency d WHERE d.task_id = c.id AND NOT d.satisfied), '[]'))
      ORDER BY c.rank, c.id), '[]')
  FROM (SELECT * FROM ready UNION ALL SELECT * FROM near) c);
END;
$$;

-- The lineage of a task: what it was split from and all that this was split into. Spent: attempts in which an agent
-- worked and that came to nothing; one that landed, or that a person or the provider ended, is not charged.
CREATE FUNCTION baton_lineage(v_task uuid) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
  WITH RECURSIVE up AS (
    SELECT t.id, t.parent_id FROM task t WHERE t.id = v_task
    UNION ALL SELECT p.id, p.parent_id FROM task p JOIN up u ON p.id = u.parent_id),
  family AS (
    SELECT t.id, t.max_retries, t.max_attempts, t.granted_tries, t.parent_id FROM task t JOIN up u ON u.id = t.id
      AND u.parent_id IS NULL
    UNION ALL SELECT c.id, c.max_retries, c.max_attempts, c.granted_tries, c.parent_id FROM task c JOIN family f
      ON c.parent_id = f.id)
  SELECT jsonb_build_object(
    'spent', (SELECT count(*) FROM attempt a JOIN family f ON f.id = a.task_id WHERE a.start_commit IS NOT NULL
      AND a.outcome IN ('rejected', 'conflict', 'base_rejected', 'agent_failed', 'crashed', 'timeout', 'lease_lost')),
    'maxRetries', max(f.max_retries) FILTER (WHERE f.parent_id IS NULL),
    'maxAttempts', max(f.max_attempts) FILTER (WHERE f.parent_id IS NULL),
    'granted', sum(f.granted_tries))
  FROM family f);
END;
$$;

-- What earlier tries of a task left: the reasons for their "no", and the newest salvage.
CREATE FUNCTION baton_earlier(v_task uuid, before integer) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT json_build_object('rejections', (SELECT coalesce(json_agg(x ORDER BY o.number), '[]')
    FROM attempt o, unnest(o.rejections) x WHERE o.task_id = v_task),
    'salvageRef', (SELECT o.salvage_ref FROM attempt o WHERE o.task_id = v_task AND o.number < before
      AND o.salvage_ref IS NOT NULL ORDER BY o.number DESC LIMIT 1)));
END;
$$;

-- The tasks that a task waited for, with what they say they did; null when there are none. OFFSET 0 keeps the order
-- of the joins, which a plan made over empty tables would turn round.
CREATE FUNCTION baton_predecessors(v_task uuid) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM task_dependency e WHERE e.task_id = v_task) THEN RETURN NULL; END IF;
  RETURN (SELECT json_agg(json_build_object('key', d.key, 'title', d.title,
      'summary', (SELECT o.summary FROM attempt o WHERE o.task_id = d.id ORDER BY o.number DESC LIMIT 1),
      'landedCommit', (SELECT l.candidate_commit FROM landing l WHERE l.task_id = d.id
        AND l.confirmed_at IS NOT NULL)) ORDER BY d.created_at)
    FROM (SELECT e.depends_on_id FROM task_dependency e WHERE e.task_id = v_task OFFSET 0) e
    CROSS JOIN LATERAL (SELECT t.id, t.key, t.title, t.created_at FROM task t WHERE t.id = e.depends_on_id OFFSET 0) d);
END;
$$;

-- What a worker can take.
CREATE TYPE claim_request AS (
  worker text, host text, labels text[], roles text[], run_id uuid, task_id uuid, lease_ms integer,
  session_id uuid, attempt_ids uuid[], skip_tasks uuid[], skip_runs uuid[], chosen uuid[], known_runs text[]
);

-- Claims the next ready work: a batch of one session, for one worker. Null: it drains.
CREATE FUNCTION baton_claim_as_set(req claim_request) RETURNS json LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
  SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  expires timestamptz := moment + req.lease_ms * interval '1 millisecond';
  v_actor text := 'worker:' || req.worker;
  t task;
  v_run_id uuid;
  v_run record;
  v_id uuid;
  v_attempt uuid;
  v_number integer;
  place integer := 0;
  taken uuid[] := '{}';
  ranges textmultirange := '{}';
  has_slot boolean := false;
  v_room bigint;
  items json[] := '{}';
  v_step smallint := baton_step('task|OPEN|claim||CLAIMED|move|| turn|IDLE|task_claimed||CLAIMING|move||');
BEGIN
  IF NOT baton_may_claim(ARRAY[req.worker]) THEN RETURN NULL; END IF;
  -- Three forms of one query, so that each has the index in its own order.
  IF req.chosen IS NOT NULL THEN
    SELECT * INTO t FROM task WHERE id = req.chosen[1];
  ELSIF req.task_id IS NOT NULL THEN
    SELECT o.* INTO t FROM task o
      WHERE o.id = req.task_id AND o.ready
        AND o.id <> ALL (req.skip_tasks) AND o.run_id <> ALL (req.skip_runs)
        AND (o.host IS NULL OR o.host = req.host) AND o.labels <@ req.labels
        AND (req.roles IS NULL OR o.role = ANY (req.roles))
      FOR NO KEY UPDATE OF o SKIP LOCKED;
  ELSIF req.run_id IS NOT NULL THEN
    SELECT o.* INTO t FROM task o
      WHERE o.run_id = req.run_id AND o.ready
        AND (o.host IS NULL OR o.host = req.host) AND o.labels <@ req.labels
        AND (req.roles IS NULL OR o.role = ANY (req.roles))
        AND o.id <> ALL (req.skip_tasks) AND o.run_id <> ALL (req.skip_runs)
        AND (o.files = '{}' OR baton_paths_free(o.run_id, o.files, o.rank))
      ORDER BY o.rank, o.id LIMIT 1 FOR NO KEY UPDATE OF o SKIP LOCKED;
  ELSE
    SELECT o.* INTO t FROM task o
      WHERE o.ready
        AND (o.host IS NULL OR o.host = req.host) AND o.labels <@ req.labels
        AND (req.roles IS NULL OR o.role = ANY (req.roles))
        AND o.id <> ALL (req.skip_tasks) AND o.run_id <> ALL (req.skip_runs)
        AND (o.files = '{}' OR baton_paths_free(o.run_id, o.files, o.rank))
      ORDER BY o.rank, o.id LIMIT 1 FOR NO KEY UPDATE OF o SKIP LOCKED;
  END IF;
  IF t.id IS NULL THEN
    RETURN '{"ok":false,"why":"none"}';
  END IF;
  v_run_id := t.run_id;
  SELECT r.xmin::text AS mark, r.max_agents, b.cap_micro_usd, b.spent_micro_usd, b.reserved_micro_usd INTO v_run
    FROM run r JOIN budget b ON b.run_id = r.id WHERE r.id = v_run_id;

  IF v_run.max_agents IS NOT NULL THEN
    FOR i IN 1..3 LOOP
      INSERT INTO slot (run_id, number, session_id)
        SELECT t.run_id, n, req.session_id FROM generate_series(1, v_run.max_agents) n
         WHERE NOT EXISTS (SELECT 1 FROM slot o WHERE o.run_id = t.run_id AND o.number = n) ORDER BY n LIMIT 1
        ON CONFLICT DO NOTHING;
      -- The loop itself sets FOUND, so what the insert did is kept apart.
      has_slot := FOUND;
      EXIT WHEN has_slot;
    END LOOP;
    IF NOT has_slot THEN
      RETURN json_build_object('ok', false, 'why', 'slot', 'head',
        json_build_object('id', t.id, 'run_id', t.run_id));
    END IF;
  END IF;

  FOREACH v_id IN ARRAY coalesce(req.chosen, ARRAY[t.id]) LOOP
    IF place > 0 THEN
      -- Mates were only read: each is locked and looked at again, and left out when it is gone.
      SELECT m.* INTO t FROM task m WHERE m.id = v_id AND m.status = 'OPEN' AND m.claimable AND NOT m.cancel_requested
        AND m.pending_dependencies = (SELECT count(*) FROM task_dependency d WHERE d.task_id = m.id
          AND NOT d.satisfied AND d.depends_on_id = ANY (taken))
        FOR NO KEY UPDATE SKIP LOCKED;
      CONTINUE WHEN NOT FOUND;
    END IF;
    place := place + 1;
    v_attempt := req.attempt_ids[place];
    IF v_run.cap_micro_usd IS NOT NULL AND NOT baton_reserve(t, v_attempt) THEN
      IF place > 1 OR cardinality(req.chosen) > 1 THEN
        RAISE EXCEPTION 'no room in the budget' USING ERRCODE = 'BA014', DETAIL = CASE WHEN place = 1 THEN 'head'
          ELSE 'mate' END;
      END IF;
      IF has_slot THEN DELETE FROM slot WHERE session_id = req.session_id; END IF;
      -- What has no room leaves the queue until money is freed, so that it never stands before others.
      UPDATE budget SET starved = true WHERE run_id = v_run_id
        RETURNING cap_micro_usd - spent_micro_usd - reserved_micro_usd INTO v_room;
      UPDATE task o SET claimable = false WHERE o.id = t.id
        OR o.id IN (SELECT w.id FROM task w WHERE w.run_id = v_run_id AND w.ready
        AND (v_room <= 0 OR w.max_cost_micro_usd > v_room) FOR NO KEY UPDATE SKIP LOCKED);
      RETURN json_build_object('ok', false, 'why', 'budget', 'head',
        json_build_object('id', t.id, 'run_id', t.run_id));
    END IF;
    WITH held AS (
      UPDATE task SET status = 'CLAIMED', version = version + 1, fence = fence + 1, claimable = false,
        paths_wanted_since = NULL, updated_at = moment
        WHERE id = t.id)
    INSERT INTO attempt (id, task_id, run_id, session_id, number, place, fence, worker_id, lease_expires_at,
      turn_status, turn_seq, created_at)
      VALUES (v_attempt, t.id, t.run_id, req.session_id,
        (SELECT coalesce(max(o.number), 0) + 1 FROM attempt o WHERE o.task_id = t.id), place,
        t.fence + 1, req.worker, expires, 'CLAIMING', 1, moment)
      RETURNING number INTO v_number;
    t.status := 'CLAIMED'; t.version := t.version + 1; t.fence := t.fence + 1; t.claimable := false;
    t.ready := false; t.stage := 'CLAIMED'; t.updated_at := moment;
    INSERT INTO change (at, step, run_id, task_id, attempt_id, session_id, task_seq, turn_seq, number, fence, actor,
        reason)
      VALUES (moment, v_step, t.run_id, t.id, v_attempt, req.session_id, t.version, 1, v_number, t.fence, v_actor,
        'claimed');
    taken := taken || t.id;
    IF t.files <> '{}' THEN ranges := ranges + baton_path_ranges(t.run_id, t.files); END IF;
    items := items || json_build_object('task', t, 'number', v_number, 'fence', t.fence,
      'earlier', CASE WHEN v_number > 1 THEN baton_earlier(t.id, v_number) END, 'predecessors',
        baton_predecessors(t.id));
  END LOOP;
  INSERT INTO agent_session (id, run_id, worker_id, host, created_at)
    VALUES (req.session_id, v_run_id, req.worker, req.host, moment);
  IF ranges <> '{}' THEN INSERT INTO path_lock (session_id, range) SELECT req.session_id, x
    FROM unnest(ranges) x; END IF;
  RETURN json_build_object('ok', true, 'now', moment, 'expires', expires, 'tasks', array_to_json(items),
    'run', CASE WHEN v_run_id || ':' || v_run.mark = ANY (req.known_runs) THEN NULL
      ELSE (SELECT json_build_object('mark', v_run.mark, 'run', to_jsonb(r) || baton_run_money(r.id), 'repo', p)
        FROM run r JOIN repo p ON p.id = r.repo_id WHERE r.id = v_run_id) END,
    'money', CASE WHEN v_run.cap_micro_usd IS NOT NULL THEN baton_run_money(v_run_id) END);
END;
$$;
