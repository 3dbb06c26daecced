-- Claiming (store.md §2). `request` holds worker, host, labels, roles, run, task, lease_ms, max, session, attempts (fresh ids),
-- skip_tasks, skip_runs.

-- The next ready task that this worker could take, locked; claimers skip one another's.
CREATE FUNCTION baton_claim_head(request jsonb) RETURNS SETOF task LANGUAGE plpgsql AS $$
DECLARE
  v_host text := request->>'host';
  v_labels text[] := ARRAY(SELECT jsonb_array_elements_text(request->'labels'));
  v_roles text[] := CASE WHEN jsonb_typeof(request->'roles') = 'array' THEN ARRAY(SELECT jsonb_array_elements_text(request->'roles')) END;
  v_run uuid := (request->>'run')::uuid;
  v_task uuid := (request->>'task')::uuid;
  v_skip uuid[] := ARRAY(SELECT jsonb_array_elements_text(request->'skip_tasks')::uuid);
  v_skip_runs uuid[] := ARRAY(SELECT jsonb_array_elements_text(request->'skip_runs')::uuid);
BEGIN
  -- Three forms of one query, so that each has the index in its own order.
  IF v_task IS NOT NULL THEN
    RETURN QUERY SELECT t.* FROM task t
      WHERE t.id = v_task AND t.status = 'OPEN' AND t.pending_dependencies = 0 AND t.claimable AND NOT t.cancel_requested
        AND t.id <> ALL (v_skip) AND t.run_id <> ALL (v_skip_runs)
        AND (t.host IS NULL OR t.host = v_host) AND t.labels <@ v_labels AND (v_roles IS NULL OR t.role = ANY (v_roles))
      FOR UPDATE OF t SKIP LOCKED;
  ELSIF v_run IS NOT NULL THEN
    RETURN QUERY SELECT t.* FROM task t
      WHERE t.run_id = v_run AND t.status = 'OPEN' AND t.pending_dependencies = 0 AND t.claimable AND NOT t.cancel_requested
        AND (t.host IS NULL OR t.host = v_host) AND t.labels <@ v_labels AND (v_roles IS NULL OR t.role = ANY (v_roles))
        AND t.id <> ALL (v_skip) AND t.run_id <> ALL (v_skip_runs) AND (t.files = '{}' OR NOT baton_paths_busy(t))
      ORDER BY t.rank, t.id LIMIT 1 FOR UPDATE OF t SKIP LOCKED;
  ELSE
    RETURN QUERY SELECT t.* FROM task t
      WHERE t.status = 'OPEN' AND t.pending_dependencies = 0 AND t.claimable AND NOT t.cancel_requested
        AND (t.host IS NULL OR t.host = v_host) AND t.labels <@ v_labels AND (v_roles IS NULL OR t.role = ANY (v_roles))
        AND t.id <> ALL (v_skip) AND t.run_id <> ALL (v_skip_runs) AND (t.files = '{}' OR NOT baton_paths_busy(t))
      ORDER BY t.rank, t.id LIMIT 1 FOR UPDATE OF t SKIP LOCKED;
  END IF;
END;
$$;

-- Are its paths owned by a batch, or wanted for ten minutes by a task before it?
CREATE FUNCTION baton_paths_busy(t task) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
  SELECT EXISTS (SELECT 1 FROM unnest(baton_path_ranges(t.repo_id, t.files)) r JOIN path_lock p ON p.range && r)
    OR EXISTS (SELECT 1 FROM task w WHERE w.paths_wanted_since < now() - interval '10 minutes' AND w.status = 'OPEN' AND w.claimable
         AND w.pending_dependencies = 0 AND w.rank < t.rank AND w.repo_id = t.repo_id
         AND baton_path_ranges(w.repo_id, w.files) && baton_path_ranges(t.repo_id, t.files)));
END;
$$;

-- What could share a batch with this head: ready tasks of its run, and those that wait only for such ones.
CREATE FUNCTION baton_claim_mates(head task, v_max integer) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
  WITH alike AS (
    SELECT t.* FROM task t WHERE t.run_id = head.run_id AND t.id <> head.id AND t.status = 'OPEN' AND t.claimable AND NOT t.cancel_requested
      AND t.role = head.role AND t.labels = head.labels AND t.scope IN ('small', 'medium') AND t.continue_from IS NULL
      AND t.agent IS NOT DISTINCT FROM head.agent AND t.model IS NOT DISTINCT FROM head.model AND t.effort IS NOT DISTINCT FROM head.effort
      AND (t.source->>'trusted') IS NOT DISTINCT FROM (head.source->>'trusted')),
  ready AS (SELECT * FROM alike WHERE pending_dependencies = 0 ORDER BY rank, id LIMIT v_max),
  near AS (SELECT a.* FROM alike a WHERE a.pending_dependencies BETWEEN 1 AND 2 AND EXISTS (
    SELECT 1 FROM task_dependency d WHERE d.task_id = a.id AND NOT d.satisfied
      AND (d.depends_on_id = head.id OR d.depends_on_id IN (SELECT id FROM ready))) ORDER BY a.rank, a.id LIMIT v_max)
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'files', c.files, 'scope', c.scope, 'waitsFor', coalesce((
    SELECT jsonb_agg(d.depends_on_id) FROM task_dependency d WHERE d.task_id = c.id AND NOT d.satisfied), '[]')) ORDER BY c.rank, c.id), '[]')
  FROM (SELECT * FROM ready UNION ALL SELECT * FROM near) c);
END;
$$;

-- What a task may cost when nobody said: a default by its scope, no more than is left.
CREATE FUNCTION baton_default_cost(scope text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE scope WHEN 'small' THEN 500000 WHEN 'medium' THEN 1000000 WHEN 'large' THEN 3000000 ELSE 6000000 END::bigint;
$$;

-- Reserves a task's cost of its run's budget; false: no room. A run without a cap is not touched.
CREATE FUNCTION baton_reserve(t task, attempt uuid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  b budget;
  room bigint;
  wanted bigint;
BEGIN
  PERFORM 1 FROM budget WHERE run_id = t.run_id AND cap_micro_usd IS NOT NULL;
  IF NOT FOUND THEN RETURN true; END IF;
  SELECT * INTO b FROM budget WHERE run_id = t.run_id FOR UPDATE;
  room := b.cap_micro_usd - b.spent_micro_usd - b.reserved_micro_usd;
  wanted := coalesce(t.max_cost_micro_usd, least(baton_default_cost(t.scope), room));
  -- From 95 % on nothing new begins.
  IF wanted > room OR room <= 0 OR b.spent_micro_usd * 100 >= b.cap_micro_usd * 95 THEN RETURN false; END IF;
  UPDATE budget SET reserved_micro_usd = reserved_micro_usd + wanted WHERE run_id = t.run_id;
  INSERT INTO reservation (attempt_id, run_id, amount_micro_usd, left_micro_usd) VALUES (attempt, t.run_id, wanted, wanted);
  RETURN true;
END;
$$;

-- Takes the chosen tasks, the first one locked by the caller, as one batch of one new session; or says what stood in the way.
CREATE FUNCTION baton_claim_tasks(request jsonb, chosen uuid[]) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_session uuid := (request->>'session')::uuid;
  expires timestamptz := now() + (request->>'lease_ms')::int * interval '1 millisecond';
  head task; t task; r run;
  taken uuid[] := '{}';
  v_attempt uuid;
  v_number integer;
  ranges textmultirange := '{}';
  has_slot boolean := false;
BEGIN
  SELECT * INTO head FROM task WHERE id = chosen[1];
  SELECT * INTO r FROM run WHERE id = head.run_id;
  INSERT INTO agent_session (id, run_id, worker_id, host) VALUES (v_session, head.run_id, request->>'worker', request->>'host');
  IF r.max_agents IS NOT NULL THEN
    FOR i IN 1..3 LOOP
      INSERT INTO slot (run_id, number, session_id)
        SELECT r.id, n, v_session FROM generate_series(1, r.max_agents) n
         WHERE NOT EXISTS (SELECT 1 FROM slot o WHERE o.run_id = r.id AND o.number = n) ORDER BY n LIMIT 1
        ON CONFLICT DO NOTHING;
      -- The loop itself sets FOUND, so what the insert did is kept apart.
      has_slot := FOUND;
      EXIT WHEN has_slot;
    END LOOP;
    IF NOT has_slot THEN
      DELETE FROM agent_session WHERE id = v_session;
      RETURN baton_miss('slot');
    END IF;
  END IF;

  FOREACH v_attempt IN ARRAY chosen LOOP
    IF v_attempt = head.id THEN
      t := head;
    ELSE
      -- Mates were only read: each is locked and looked at again, and left out when it is gone.
      SELECT m.* INTO t FROM task m WHERE m.id = v_attempt AND m.status = 'OPEN' AND m.claimable AND NOT m.cancel_requested
        AND m.pending_dependencies = (SELECT count(*) FROM task_dependency d WHERE d.task_id = m.id AND NOT d.satisfied AND d.depends_on_id = ANY (taken))
        FOR UPDATE SKIP LOCKED;
      CONTINUE WHEN NOT FOUND;
    END IF;
    v_attempt := (request->'attempts'->>cardinality(taken))::uuid;
    SELECT coalesce(max(number), 0) + 1 INTO v_number FROM attempt WHERE task_id = t.id;
    PERFORM baton_write_events(jsonb_build_array(
      jsonb_build_object('machine', 'task', 'entity_id', t.id, 'run_id', t.run_id, 'task_id', t.id, 'seq', t.version + 1, 'from_state', 'OPEN',
        'to_state', 'CLAIMED', 'event', 'claim', 'kind', 'move', 'actor', request->>'actor', 'reason', 'claimed',
        'metadata', jsonb_build_object('attemptId', v_attempt, 'number', v_number, 'fence', t.fence + 1, 'sessionId', v_session)),
      jsonb_build_object('machine', 'turn', 'entity_id', v_attempt, 'run_id', t.run_id, 'task_id', t.id, 'seq', 1, 'from_state', 'IDLE',
        'to_state', 'CLAIMING', 'event', 'task_claimed', 'kind', 'move', 'actor', request->>'actor', 'reason', 'claimed')));
    INSERT INTO attempt (id, task_id, run_id, session_id, number, place, fence, worker_id, lease_expires_at, turn_status, turn_seq)
      VALUES (v_attempt, t.id, t.run_id, v_session, v_number, cardinality(taken) + 1, t.fence + 1, request->>'worker', expires, 'CLAIMING', 1);
    IF NOT baton_reserve(t, v_attempt) THEN
      -- Undone by the caller: the whole claim rolls back.
      RETURN baton_miss('budget') || jsonb_build_object('task', t.id, 'head', t.id = head.id);
    END IF;
    UPDATE task SET status = 'CLAIMED', version = version + 1, fence = fence + 1, claimable = false, paths_wanted_since = NULL, updated_at = now()
      WHERE id = t.id;
    taken := taken || t.id;
    IF t.files <> '{}' THEN ranges := ranges + baton_path_ranges(t.repo_id, t.files); END IF;
  END LOOP;
  INSERT INTO path_lock (session_id, range) SELECT v_session, x FROM unnest(ranges) x;
  RETURN jsonb_build_object('ok', true) || baton_claim_details(v_session);
END;
$$;

CREATE FUNCTION baton_run_money(v_run uuid) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
  SELECT jsonb_build_object('budget_micro_usd', b.cap_micro_usd, 'spent_micro_usd', b.spent_micro_usd, 'reserved_micro_usd', b.reserved_micro_usd)
  FROM budget b WHERE b.run_id = v_run);
END;
$$;

-- A claim as its holder gets it: run, repo, and each task with attempt, earlier "no"s, salvage and finished dependencies.
CREATE FUNCTION baton_claim_details(v_session uuid) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
  SELECT jsonb_build_object('session_id', s.id, 'run', to_jsonb(r) || baton_run_money(r.id), 'repo', to_jsonb(p),
    'tasks', (SELECT jsonb_agg(jsonb_build_object('task', to_jsonb(t), 'attempt', to_jsonb(a),
      'rejections', CASE WHEN a.number = 1 THEN '[]'::jsonb ELSE (SELECT coalesce(jsonb_agg(x ORDER BY o.number), '[]') FROM attempt o, unnest(o.rejections) x WHERE o.task_id = t.id) END,
      'salvage_ref', CASE WHEN a.number = 1 THEN NULL ELSE (SELECT o.salvage_ref FROM attempt o WHERE o.task_id = t.id AND o.number < a.number AND o.salvage_ref IS NOT NULL
         ORDER BY o.number DESC LIMIT 1) END,
      'predecessors', coalesce((SELECT jsonb_agg(jsonb_build_object('key', d.key, 'title', d.title,
          'summary', (SELECT o.summary FROM attempt o WHERE o.task_id = d.id ORDER BY o.number DESC LIMIT 1),
          'landedCommit', (SELECT l.candidate_commit FROM landing l WHERE l.task_id = d.id AND l.confirmed_at IS NOT NULL)) ORDER BY d.created_at)
        FROM task_dependency e JOIN task d ON d.id = e.depends_on_id WHERE e.task_id = t.id), '[]')) ORDER BY a.place)
      FROM attempt a JOIN task t ON t.id = a.task_id WHERE a.session_id = s.id))
  FROM agent_session s JOIN run r ON r.id = s.run_id JOIN repo p ON p.id = r.repo_id WHERE s.id = v_session);
END;
$$;

-- Head and claim in one statement, for batches of one.
CREATE FUNCTION baton_claim_next(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  head task;
  answer jsonb;
BEGIN
  SELECT * INTO head FROM baton_claim_head(request);
  IF NOT FOUND THEN RETURN baton_miss('none'); END IF;
  BEGIN
    answer := baton_claim_tasks(request, ARRAY[head.id]);
    IF answer->>'ok' = 'false' THEN RAISE EXCEPTION 'undone' USING ERRCODE = 'BA010'; END IF;
  EXCEPTION
    WHEN SQLSTATE 'BA010' THEN NULL;
    WHEN exclusion_violation THEN answer := baton_miss('path');
  END;
  RETURN answer || jsonb_build_object('head', jsonb_build_object('id', head.id, 'run_id', head.run_id));
END;
$$;
