-- How state changes: one call of baton_apply is one transaction. Deciding happens in the kernel, before; here each change is
-- applied where version and fence still match, or nothing is.

-- What a task's paths cover: each path itself and everything below it.
CREATE FUNCTION baton_path_ranges(repo uuid, files text[]) RETURNS textmultirange LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT range_agg(r) FROM (
    SELECT rtrim(regexp_replace(f, '^(\./)+', ''), '/') AS path FROM unnest(files) f) p
  CROSS JOIN LATERAL (VALUES
    (CASE WHEN path IN ('', '.') THEN textrange(repo || ':', repo || ';') ELSE textrange(repo || ':' || path, repo || ':' || path, '[]') END),
    (CASE WHEN path IN ('', '.') THEN textrange(repo || ':', repo || ';') ELSE textrange(repo || ':' || path || '/', repo || ':' || path || '0') END)) v(r);
$$;

-- May tasks of this run be claimed at all?
CREATE FUNCTION baton_run_open(v_run uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- plpgsql where one statement would do: it keeps the plan, which the plain SQL form makes anew at each call.
  RETURN (SELECT r.status NOT IN ('paused', 'cancelled', 'failed') AND NOT b.held FROM run r JOIN budget b ON b.run_id = r.id WHERE r.id = v_run);
END;
$$;

-- Sets `claimable` of all open tasks of a run anew, after the run's own state changed.
CREATE FUNCTION baton_refresh_claimable(run uuid) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  opened boolean := baton_run_open(run);
  changed integer;
BEGIN
  UPDATE task t SET claimable = opened AND (t.not_before IS NULL OR t.not_before <= now())
   WHERE t.run_id = run AND t.status = 'OPEN' AND t.claimable IS DISTINCT FROM (opened AND (t.not_before IS NULL OR t.not_before <= now()));
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END;
$$;

-- Writes events in the order given; the trigger checks, chains and queues them.
CREATE FUNCTION baton_write_events(events jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lifecycle_event (machine, version, entity_id, run_id, task_id, seq, note, from_state, to_state, event, alias, kind, actor, reason,
    transition_reason, abort_reason, trigger, metadata)
  SELECT e->>'machine', coalesce((e->>'version')::int, 1), (e->>'entity_id')::uuid, (e->>'run_id')::uuid, (e->>'task_id')::uuid, (e->>'seq')::int,
    coalesce((e->>'note')::int, 0), e->>'from_state', e->>'to_state', e->>'event', e->>'alias', e->>'kind', e->>'actor', e->>'reason',
    e->>'transition_reason', e->>'abort_reason', e->>'trigger', coalesce(e->'metadata', '{}')
  FROM jsonb_array_elements(events) WITH ORDINALITY x(e, n) ORDER BY n;
END;
$$;

-- A refused or late report about a task: kept, without effect.
CREATE FUNCTION baton_write_note(task_id uuid, note jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  t task;
  next integer;
BEGIN
  SELECT * INTO t FROM task WHERE id = task_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT max(e.note) + 1 INTO next FROM lifecycle_event e WHERE e.entity_id = t.id AND e.machine = 'task' AND e.seq = t.version;
  PERFORM baton_write_events(jsonb_build_array(note || jsonb_build_object('machine', 'task', 'entity_id', t.id, 'run_id', t.run_id,
    'task_id', t.id, 'seq', t.version, 'note', next, 'from_state', t.status, 'to_state', t.status)));
END;
$$;

-- New tasks with their `created` events and edges. A dependency is locked FOR SHARE, so that its closing is not missed.
CREATE FUNCTION baton_add_tasks(tasks jsonb, edges jsonb, by jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  base task;
  opened boolean;
BEGIN
  IF jsonb_array_length(tasks) = 0 THEN RETURN; END IF;
  PERFORM 1 FROM task d WHERE d.id IN (SELECT (e->>'depends_on_id')::uuid FROM jsonb_array_elements(edges) e) ORDER BY d.id FOR SHARE;
  opened := baton_run_open((tasks->0->>'run_id')::uuid);
  base.version := 0; base.fence := 0; base.tries := 0; base.granted_tries := 0; base.conflicts := 0; base.setbacks := 0;
  base.settled := false; base.cancel_requested := false; base.created_at := now(); base.updated_at := now();
  PERFORM baton_write_events((SELECT jsonb_agg(by || jsonb_build_object('machine', 'task', 'entity_id', t->>'id', 'run_id', t->>'run_id',
    'task_id', t->>'id', 'seq', 0, 'to_state', t->>'status', 'event', 'created', 'kind', 'created') ORDER BY n)
    FROM jsonb_array_elements(tasks) WITH ORDINALITY x(t, n)));
  base.claimable := false; base.pending_dependencies := 0; base.rank := now();
  INSERT INTO task SELECT p.* FROM jsonb_array_elements(tasks) WITH ORDINALITY x(t, n)
    CROSS JOIN LATERAL jsonb_populate_record(base, x.t || jsonb_build_object(
      'created_at', now() + x.n * interval '1 microsecond',
      'rank', now() + x.n * interval '1 microsecond' + (x.t->>'priority')::int * interval '5 minutes'
              - CASE WHEN (x.t->>'priority')::int = 0 THEN interval '100 years' ELSE interval '0' END,
      'claimable', opened AND x.t->>'status' = 'OPEN' AND coalesce((x.t->>'not_before')::timestamptz <= now(), true))) p;
  INSERT INTO task_dependency (task_id, depends_on_id, satisfied)
    SELECT (e->>'task_id')::uuid, d.id, d.status = 'CLOSED' FROM jsonb_array_elements(edges) e JOIN task d ON d.id = (e->>'depends_on_id')::uuid;
  UPDATE task t SET pending_dependencies = n.pending
    FROM (SELECT task_id, count(*) AS pending FROM task_dependency WHERE NOT satisfied
           AND task_id IN (SELECT (e->>'task_id')::uuid FROM jsonb_array_elements(edges) e) GROUP BY task_id) n
   WHERE t.id = n.task_id;
END;
$$;

-- Frees what an attempt may still spend.
CREATE FUNCTION baton_free_reservation(v_attempt uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH freed AS (DELETE FROM reservation r WHERE r.attempt_id = v_attempt RETURNING r.run_id, r.left_micro_usd)
  UPDATE budget b SET reserved_micro_usd = b.reserved_micro_usd - f.left_micro_usd FROM freed f WHERE b.run_id = f.run_id;
END;
$$;

-- A task is CLOSED: its dependents have one open dependency less. Returns how many became ready.
CREATE FUNCTION baton_release_dependents(closed uuid) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  ready integer;
BEGIN
  PERFORM 1 FROM task t WHERE t.id IN (SELECT d.task_id FROM task_dependency d WHERE d.depends_on_id = closed AND NOT d.satisfied)
    ORDER BY t.id FOR UPDATE;
  WITH met AS (UPDATE task_dependency d SET satisfied = true WHERE d.depends_on_id = closed AND NOT d.satisfied RETURNING d.task_id),
  less AS (UPDATE task t SET pending_dependencies = t.pending_dependencies - 1, updated_at = now()
            FROM met WHERE t.id = met.task_id RETURNING t.pending_dependencies, t.status)
  SELECT count(*) INTO ready FROM less WHERE pending_dependencies = 0 AND status = 'OPEN';
  RETURN ready;
END;
$$;

-- A task is CANCELLED: all that depend on it and all below it shall be too. Returns those newly asked.
CREATE FUNCTION baton_cascade_cancel(cancelled uuid) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  asked uuid[];
BEGIN
  WITH RECURSIVE below AS (
    SELECT cancelled AS id
    UNION
    SELECT n.id FROM below b CROSS JOIN LATERAL (
      SELECT d.task_id AS id FROM task_dependency d WHERE d.depends_on_id = b.id AND NOT d.satisfied
      UNION ALL SELECT c.id FROM task c WHERE c.parent_id = b.id) n),
  marked AS (UPDATE task t SET cancel_requested = true, updated_at = now() FROM below b
    WHERE t.id = b.id AND t.id <> cancelled AND NOT t.settled AND NOT t.cancel_requested RETURNING t.id)
  SELECT coalesce(array_agg(id), '{}') INTO asked FROM marked;
  RETURN asked;
END;
$$;

-- Applies one decided change: { command, run, sessions, tasks, attempts, events, add, landing, approval, decision }.
-- Each entity names what it was decided on; a miss changes nothing and says why.
CREATE FUNCTION baton_apply(change jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  item jsonb;
  r run; s agent_session; t task; a attempt;
  answer jsonb;
  cascade uuid[] := '{}';
  released integer := 0;
  settled_sessions uuid[] := '{}';
BEGIN
  IF change ? 'command' THEN
    INSERT INTO command (id, actor, answer) VALUES (change#>>'{command,id}', change#>>'{command,actor}', change#>'{command,answer}')
      ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      SELECT c.answer INTO answer FROM command c WHERE c.id = change#>>'{command,id}';
      RETURN jsonb_build_object('ok', false, 'why', 'repeated', 'answer', answer);
    END IF;
  END IF;

  -- Locks, always in the order run, session, tasks by id, attempts.
  IF change ? 'run' THEN
    SELECT * INTO r FROM run WHERE id = (change#>>'{run,id}')::uuid FOR NO KEY UPDATE;
    IF r.seq IS DISTINCT FROM (change#>>'{run,seq}')::int THEN RETURN baton_miss('stale'); END IF;
  END IF;
  FOR item IN SELECT value FROM jsonb_array_elements(change->'sessions') ORDER BY value->>'id' LOOP
    SELECT * INTO s FROM agent_session WHERE id = (item->>'id')::uuid FOR NO KEY UPDATE;
    IF s.status_seq IS DISTINCT FROM (item->>'status_seq')::int OR s.execution_seq IS DISTINCT FROM (item->>'execution_seq')::int THEN
      RETURN baton_miss('stale');
    END IF;
  END LOOP;
  FOR item IN SELECT value FROM jsonb_array_elements(change->'tasks') ORDER BY value->>'id' LOOP
    SELECT * INTO t FROM task WHERE id = (item->>'id')::uuid FOR NO KEY UPDATE;
    IF t.version IS DISTINCT FROM (item->>'version')::int OR (item ? 'fence' AND t.fence IS DISTINCT FROM (item->>'fence')::bigint) THEN
      RETURN baton_miss('stale');
    END IF;
  END LOOP;
  FOR item IN SELECT value FROM jsonb_array_elements(change->'attempts') ORDER BY value->>'id' LOOP
    CONTINUE WHEN item ? 'new';
    SELECT * INTO a FROM attempt WHERE id = (item->>'id')::uuid FOR NO KEY UPDATE;
    IF a.fence IS DISTINCT FROM (item->>'fence')::bigint THEN RETURN baton_miss('fence'); END IF;
    IF a.turn_seq IS DISTINCT FROM (item->>'turn_seq')::int OR a.ended_at IS NOT NULL
       OR (item ? 'open_tools' AND a.open_tools <> (item->>'open_tools')::int)
       OR (item ? 'if_lapsed' AND a.lease_expires_at > clock_timestamp()) THEN
      RETURN baton_miss('stale');
    END IF;
  END LOOP;
  IF change ? 'landing' THEN
    UPDATE landing SET confirmed_at = now() WHERE id = (change#>>'{landing,id}')::uuid AND confirmed_at IS NULL AND abandoned_at IS NULL;
    IF NOT FOUND THEN RETURN baton_miss('landing'); END IF;
  END IF;
  IF change ? 'decision' THEN
    UPDATE approval p SET status = change#>>'{decision,status}', decided_by = change#>>'{decision,by}',
      decision_reason = change#>>'{decision,reason}', decided_at = now()
     WHERE p.id = (change#>>'{decision,id}')::uuid AND p.status = 'waiting' AND p.nonce = change#>>'{decision,nonce}';
    IF NOT FOUND THEN RETURN baton_miss('approval'); END IF;
  END IF;

  PERFORM baton_write_events(coalesce(change->'events', '[]'));

  IF change ? 'run' THEN
    r := jsonb_populate_record(r, change#>'{run,patch}');
    UPDATE run SET status = r.status, status_reason = r.status_reason, seq = r.seq, finished_at = r.finished_at WHERE id = r.id;
    PERFORM baton_refresh_claimable(r.id);
    IF change->'run' ? 'cancel' THEN
      WITH asked AS (UPDATE task c SET cancel_requested = true, updated_at = now()
        WHERE c.run_id = r.id AND NOT c.settled AND NOT c.cancel_requested RETURNING c.id)
      SELECT cascade || coalesce(array_agg(id), '{}') INTO cascade FROM asked;
    END IF;
  END IF;
  FOR item IN SELECT value FROM jsonb_array_elements(change->'sessions') LOOP
    SELECT * INTO s FROM agent_session WHERE id = (item->>'id')::uuid;
    s := jsonb_populate_record(s, item->'patch');
    UPDATE agent_session SET adapter = s.adapter, model = s.model, pid = s.pid, pid_started = s.pid_started, activity = s.activity,
      current_attempt_id = s.current_attempt_id, status = s.status, status_seq = s.status_seq, execution_state = s.execution_state,
      execution_seq = s.execution_seq, exit_code = s.exit_code, abort_reason = s.abort_reason, workspace = s.workspace,
      deadline_at = s.deadline_at, last_sign_at = s.last_sign_at, ended_at = s.ended_at WHERE id = s.id;
    IF s.ended_at IS NOT NULL THEN DELETE FROM slot WHERE session_id = s.id; END IF;
  END LOOP;
  FOR item IN SELECT value FROM jsonb_array_elements(change->'attempts') LOOP
    IF item ? 'new' THEN
      INSERT INTO attempt (id, task_id, run_id, number, fence, done_at)
        SELECT (item->>'id')::uuid, n.id, n.run_id, (SELECT coalesce(max(number), 0) + 1 FROM attempt o WHERE o.task_id = n.id),
          (item->>'fence')::bigint, now() FROM task n WHERE n.id = (item->>'new')::uuid;
      CONTINUE;
    END IF;
    SELECT * INTO a FROM attempt WHERE id = (item->>'id')::uuid;
    a := jsonb_populate_record(a, item->'patch');
    UPDATE attempt SET counted = a.counted, fence = a.fence, worker_id = a.worker_id, lease_expires_at = a.lease_expires_at,
      turn_status = a.turn_status, turn_seq = a.turn_seq, open_tools = a.open_tools, base_commit = a.base_commit,
      start_commit = a.start_commit, head_commit = a.head_commit, summary = a.summary, outcome = a.outcome,
      abort_reason = a.abort_reason, rejections = a.rejections, salvage_ref = a.salvage_ref, orphaned_at = a.orphaned_at,
      orphan_counts = a.orphan_counts, done_at = a.done_at, route = a.route, ended_at = a.ended_at WHERE id = a.id;
    IF item ? 'free' THEN PERFORM baton_free_reservation(a.id); END IF;
    IF a.session_id IS NOT NULL THEN settled_sessions := settled_sessions || a.session_id; END IF;
  END LOOP;
  FOR item IN SELECT value FROM jsonb_array_elements(change->'tasks') LOOP
    SELECT * INTO t FROM task WHERE id = (item->>'id')::uuid;
    IF t.status = 'PENDING_APPROVAL' THEN
      UPDATE approval p SET status = 'void', decided_at = now() WHERE p.task_id = t.id AND p.status = 'waiting';
    END IF;
    t := jsonb_populate_record(t, item->'patch');
    UPDATE task SET status = t.status, version = t.version, fence = t.fence, tries = t.tries, granted_tries = t.granted_tries,
      conflicts = t.conflicts, continue_from = t.continue_from, setbacks = t.setbacks, settled = t.settled, not_before = t.not_before,
      blocked_on = t.blocked_on, cancel_requested = t.cancel_requested, updated_at = now(),
      claimable = t.status = 'OPEN' AND coalesce(t.not_before <= now(), true) AND baton_run_open(t.run_id) WHERE id = t.id;
    IF item#>>'{patch,status}' = 'CLOSED' THEN released := released + baton_release_dependents(t.id); END IF;
    IF item#>>'{patch,status}' = 'CANCELLED' THEN cascade := cascade || baton_cascade_cancel(t.id); END IF;
  END LOOP;
  -- A batch holds its paths until the last of its tasks has left CLAIMED, IN_PROGRESS and DONE.
  DELETE FROM path_lock p WHERE p.session_id = ANY (settled_sessions) AND NOT EXISTS (
    SELECT 1 FROM attempt o JOIN task h ON h.id = o.task_id WHERE o.session_id = p.session_id AND o.ended_at IS NULL
      AND h.status IN ('CLAIMED', 'IN_PROGRESS', 'DONE'));
  IF change ? 'add' THEN
    PERFORM baton_add_tasks(change#>'{add,tasks}', change#>'{add,edges}', change#>'{add,by}');
  END IF;
  IF change ? 'approval' THEN
    INSERT INTO approval (id, run_id, task_id, attempt_id, reason, head_commit, patch_id, nonce)
      SELECT n.id, n.run_id, n.task_id, n.attempt_id, n.reason, n.head_commit, n.patch_id, n.nonce
        FROM jsonb_populate_record(NULL::approval, change->'approval') n;
  END IF;
  RETURN jsonb_build_object('ok', true, 'cascade', to_jsonb(cascade), 'released', released);
END;
$$;

CREATE FUNCTION baton_miss(why text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$ SELECT jsonb_build_object('ok', false, 'why', why); $$;

-- A run with its repo, budget and tasks. Returns its id, or that of the run that the same command made before.
CREATE FUNCTION baton_create_run(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  answer jsonb;
  v_repo uuid;
  r run := jsonb_populate_record(NULL::run, request->'run');
BEGIN
  IF request ? 'command' THEN
    INSERT INTO command (id, actor, answer) VALUES (request#>>'{command,id}', request#>>'{command,actor}', jsonb_build_object('runId', r.id))
      ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      SELECT c.answer INTO answer FROM command c WHERE c.id = request#>>'{command,id}';
      RETURN answer;
    END IF;
  END IF;
  v_repo := baton_have_repo(request->'repo');
  PERFORM baton_write_events(jsonb_build_array((request->'by') || jsonb_build_object('machine', 'run', 'entity_id', r.id, 'run_id', r.id,
    'seq', 0, 'to_state', r.status, 'event', 'created', 'kind', 'created')));
  INSERT INTO run (id, slug, name, repo_id, status, target, base_commit, batch_size, max_agents, trust, review, gates, gates_hash, allow_red,
      workspace, agents, default_agent, routing, plan, standing, created_by)
    VALUES (r.id, r.slug, r.name, v_repo, r.status, r.target, r.base_commit, r.batch_size, r.max_agents, r.trust, r.review, r.gates, r.gates_hash,
      r.allow_red, r.workspace, r.agents, r.default_agent, r.routing, r.plan, r.standing, r.created_by);
  INSERT INTO budget (run_id, cap_micro_usd) VALUES (r.id, (request->>'budget')::bigint);
  PERFORM baton_add_tasks((SELECT coalesce(jsonb_agg(t || jsonb_build_object('repo_id', v_repo) ORDER BY n), '[]')
    FROM jsonb_array_elements(request->'tasks') WITH ORDINALITY x(t, n)), request->'edges', request->'by');
  RETURN jsonb_build_object('runId', r.id);
END;
$$;

-- The repository at this place, made when it is new.
CREATE FUNCTION baton_have_repo(place jsonb) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  v_id uuid;
BEGIN
  SELECT id INTO v_id FROM repo WHERE location = place->>'location' AND coalesce(host, '') = coalesce(place->>'host', '');
  IF FOUND THEN RETURN v_id; END IF;
  INSERT INTO repo (id, location, host) VALUES ((place->>'id')::uuid, place->>'location', place->>'host')
    ON CONFLICT (location, coalesce(host, '')) DO UPDATE SET location = EXCLUDED.location RETURNING id INTO v_id;
  RETURN v_id;
END;
$$;
