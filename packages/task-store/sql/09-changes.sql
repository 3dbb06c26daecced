-- Changes that the kernel decided on: applied where version and fence still match, or not at all.

-- Holds what a change relies on: the run as its decision saw it, or the runs whose tasks become ready or are added.
CREATE FUNCTION baton_admit(req change_request) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  moves text := array_to_string(req.steps, ' ');
BEGIN
  IF req.rest#>'{run,seen}' IS NOT NULL THEN
    PERFORM baton_must_have_seen((req.rest#>>'{run,id}')::uuid, req.rest#>>'{run,seen}');
  ELSIF moves LIKE '%|OPEN|move|%' OR moves LIKE '%|OPEN|override|%' OR 0 = ANY (req.task_at)
    OR req.rest ? 'add' THEN
    PERFORM baton_hold_runs(req.task_ids);
  END IF;
END;
$$;

-- Carries out what the kernel decided, as one statement and one transaction. Many rows cost one statement a table,
-- and changes of several callers can go together, each with its own actor. `first` and `at` of a row: its first and
-- last change. A row is compared with where its first step begins and set to where its last one ends, so rows and
-- record agree by construction.
CREATE FUNCTION baton_change_as_set(req change_request) RETURNS jsonb LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  rest jsonb := req.rest;
  s record;
  v_steps smallint[];
  hit integer;
  freed uuid[];
  sessions uuid[];
  cascade uuid[] := '{}';
  asked uuid[];
  released integer := 0;
  v_id uuid;
BEGIN
  PERFORM baton_admit(req);
  SELECT array_agg(o.id) AS ids, count(*) AS found,
      array_agg(o.task_from) AS task_from, array_agg(o.task_to) AS task_to,
      array_agg(o.turn_from) AS turn_from, array_agg(o.turn_to) AS turn_to,
      array_agg(o.agent_from) AS agent_from, array_agg(o.agent_to) AS agent_to,
      array_agg(o.execution_from) AS execution_from, array_agg(o.execution_to) AS execution_to,
      array_agg(o.run_from) AS run_from, array_agg(o.run_to) AS run_to,
      coalesce(sum(o.task_moves), 0) AS task_moves, coalesce(sum(o.turn_moves), 0) AS turn_moves,
      coalesce(sum(o.agent_moves), 0) AS agent_moves, coalesce(sum(o.execution_moves), 0) AS execution_moves,
      coalesce(sum(o.run_moves), 0) AS run_moves,
      count(*) FILTER (WHERE o.task_moves > 0) > cardinality(array_remove(req.task_at, 0))
        OR count(*) FILTER (WHERE o.turn_moves > 0) > cardinality(array_remove(req.attempt_at, 0))
        OR count(*) FILTER (WHERE o.agent_moves > 0) > cardinality(array_remove(req.session_status_at, 0))
        OR count(*) FILTER (WHERE o.execution_moves > 0) > cardinality(array_remove(req.session_execution_at, 0))
        AS again,
      array_agg(o.task) FILTER (WHERE o.task_to = 'CLOSED') AS closed,
      array_agg(o.task) FILTER (WHERE o.task_to = 'CANCELLED') AS cancelled,
      array_agg(o.task) FILTER (WHERE o.task_from = 'DONE' AND o.task_to <> 'CLOSED') AS undone,
      array_agg(o.task) FILTER (WHERE o.task_from = 'PENDING_APPROVAL') AS decided
    INTO s FROM (SELECT o.*, g.task FROM unnest(req.steps, req.tasks) WITH ORDINALITY AS g(key, task, n)
        CROSS JOIN LATERAL (SELECT k.* FROM step k WHERE k.key = g.key AND NOT k.past OFFSET 0) o ORDER BY g.n) o;
  IF s.found IS DISTINCT FROM cardinality(req.steps) THEN
    RAISE EXCEPTION 'no such step: %', (SELECT string_agg(g.key, ', ') FROM unnest(req.steps) AS g(key)
      WHERE NOT EXISTS (SELECT 1 FROM step k WHERE k.key = g.key AND NOT k.past)) USING ERRCODE = 'BA001';
  END IF;
  v_steps := s.ids;
  IF rest ? 'command' THEN
    INSERT INTO command (id, actor, answer) VALUES (rest#>>'{command,id}', rest#>>'{command,actor}',
      rest#>'{command,answer}') ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RETURN (SELECT jsonb_build_object('ok', false, 'why', 'repeated', 'answer', o.answer) FROM command o
        WHERE o.id = rest#>>'{command,id}');
    END IF;
  END IF;

  -- Locks, always in the order run, session, tasks, attempts. Rows are given in the order of their ids, and the loop
  -- over them takes them so.
  IF rest ? 'run' THEN
    v_id := (rest#>>'{run,id}')::uuid;
    hit := (rest#>>'{run,at}')::integer;
    UPDATE run r SET status = CASE WHEN hit = 0 THEN r.status ELSE s.run_to[hit] END,
        seq = CASE WHEN hit = 0 THEN r.seq ELSE req.run_seqs[hit] END,
        status_reason = rest#>>'{run,patch,status_reason}',
          finished_at = (rest#>>'{run,patch,finished_at}')::timestamptz
      WHERE r.id = v_id AND r.seq = (rest#>>'{run,seq}')::integer
        AND (hit = 0 OR req.runs[hit] = v_id AND r.status = s.run_from[hit] AND r.seq + 1 = req.run_seqs[hit]);
    IF NOT FOUND THEN RAISE EXCEPTION 'stale run' USING ERRCODE = 'BA010'; END IF;
    s.run_moves := s.run_moves - CASE WHEN hit = 0 THEN 0 ELSE 1 END;
    PERFORM baton_refresh_claimable(v_id);
    IF rest->'run' ? 'cancel' THEN
      WITH marked AS (UPDATE task t SET cancel_requested = true, updated_at = now()
        WHERE t.run_id = v_id AND NOT t.settled AND NOT t.cancel_requested RETURNING t.id)
      SELECT coalesce(array_agg(id), '{}') INTO cascade FROM marked;
    END IF;
  END IF;
  IF cardinality(req.session_ids) > 0 THEN
    WITH moved AS (UPDATE agent_session a SET
        status = CASE WHEN g.status_at = 0 THEN a.status ELSE s.agent_to[g.status_at] END,
        status_seq = CASE WHEN g.status_at = 0 THEN a.status_seq ELSE req.agent_seqs[g.status_at] END,
        execution_state = CASE WHEN g.execution_at = 0 THEN a.execution_state ELSE s.execution_to[g.execution_at] END,
        execution_seq = CASE WHEN g.execution_at = 0 THEN a.execution_seq ELSE req.execution_seqs[g.execution_at] END,
        adapter = CASE WHEN g.p ? 'adapter' THEN g.p->>'adapter' ELSE a.adapter END,
        model = CASE WHEN g.p ? 'model' THEN g.p->>'model' ELSE a.model END,
        pid = CASE WHEN g.p ? 'pid' THEN (g.p->>'pid')::integer ELSE a.pid END,
        pid_started = CASE WHEN g.p ? 'pid_started' THEN g.p->>'pid_started' ELSE a.pid_started END,
        activity = CASE WHEN g.p ? 'activity' THEN g.p->>'activity' ELSE a.activity END,
        current_attempt_id = CASE WHEN g.p ? 'current_attempt_id' THEN (g.p->>'current_attempt_id')::uuid
          ELSE a.current_attempt_id END,
        exit_code = CASE WHEN g.p ? 'exit_code' THEN (g.p->>'exit_code')::integer ELSE a.exit_code END,
        abort_reason = CASE WHEN g.p ? 'abort_reason' THEN g.p->>'abort_reason' ELSE a.abort_reason END,
        workspace = CASE WHEN g.p ? 'workspace' THEN g.p->>'workspace' ELSE a.workspace END,
        deadline_at = CASE WHEN g.p ? 'deadline_at' THEN (g.p->>'deadline_at')::timestamptz ELSE a.deadline_at END,
        last_sign_at = CASE WHEN g.p ? 'last_sign_at' THEN (g.p->>'last_sign_at')::timestamptz ELSE a.last_sign_at END,
        ended_at = CASE WHEN g.p ? 'ended_at' THEN (g.p->>'ended_at')::timestamptz ELSE a.ended_at END
      FROM unnest(req.session_ids, req.session_status_seqs, req.session_execution_seqs, req.session_status_first,
        req.session_status_at, req.session_execution_first, req.session_execution_at, req.session_patches)
        AS g(id, status_seq, execution_seq, status_first, status_at, execution_first, execution_at, p)
      WHERE a.id = g.id AND a.status_seq = g.status_seq AND a.execution_seq = g.execution_seq
        AND (g.status_at = 0 OR req.sessions[g.status_at] = g.id AND req.sessions[g.status_first] = g.id
          AND s.agent_from[g.status_first] IS NOT DISTINCT FROM a.status)
        AND (g.execution_at = 0 OR req.sessions[g.execution_at] = g.id AND req.sessions[g.execution_first] = g.id
          AND s.execution_from[g.execution_first] = a.execution_state)
      RETURNING a.status_seq - g.status_seq AS agent_moves, a.execution_seq - g.execution_seq AS execution_moves)
    SELECT count(*), s.agent_moves - coalesce(sum(m.agent_moves), 0),
      s.execution_moves - coalesce(sum(m.execution_moves), 0) INTO hit, s.agent_moves, s.execution_moves FROM moved m;
    IF hit <> cardinality(req.session_ids) THEN
      PERFORM baton_missed('session', req.session_ids || req.session_ids,
        req.session_status_at || req.session_execution_at, req.sessions);
    END IF;
    IF req.session_patches::text LIKE '%ended_at%' THEN
      DELETE FROM slot o WHERE o.session_id IN (
        SELECT g.id FROM unnest(req.session_ids, req.session_patches) AS g(id, p) WHERE g.p->>'ended_at' IS NOT NULL);
    END IF;
  END IF;
  IF cardinality(req.task_ids) > 0 THEN
    WITH moved AS (UPDATE task t SET
        status = CASE WHEN g.at = 0 THEN t.status ELSE s.task_to[g.at] END,
        version = CASE WHEN g.at = 0 THEN t.version ELSE req.task_seqs[g.at] END,
        fence = CASE WHEN g.p ? 'fence' THEN (g.p->>'fence')::bigint ELSE t.fence END,
        tries = CASE WHEN g.p ? 'tries' THEN (g.p->>'tries')::integer ELSE t.tries END,
        granted_tries = CASE WHEN g.p ? 'granted_tries' THEN (g.p->>'granted_tries')::integer ELSE t.granted_tries END,
        conflicts = CASE WHEN g.p ? 'conflicts' THEN (g.p->>'conflicts')::integer ELSE t.conflicts END,
        continue_from = CASE WHEN g.p ? 'continue_from' THEN nullif(g.p->'continue_from', 'null')
          ELSE t.continue_from END,
        setbacks = CASE WHEN g.p ? 'setbacks' THEN (g.p->>'setbacks')::integer ELSE t.setbacks END,
        settled = CASE WHEN g.p ? 'settled' THEN (g.p->>'settled')::boolean ELSE t.settled END,
        not_before = CASE WHEN g.p ? 'not_before' THEN (g.p->>'not_before')::timestamptz ELSE t.not_before END,
        blocked_on = CASE WHEN g.p ? 'blocked_on' THEN nullif(g.p->'blocked_on', 'null') ELSE t.blocked_on END,
        cancel_requested = CASE WHEN g.p ? 'cancel_requested' THEN (g.p->>'cancel_requested')::boolean
          ELSE t.cancel_requested END,
        updated_at = now(),
        claimable = CASE WHEN CASE WHEN g.at = 0 THEN t.status ELSE s.task_to[g.at] END = 'OPEN'
          THEN coalesce(CASE WHEN g.p ? 'not_before' THEN (g.p->>'not_before')::timestamptz
            ELSE t.not_before END <= now(), true) AND baton_run_open(t.run_id)
          ELSE false END
      FROM unnest(req.task_ids, req.task_versions, req.task_fences, req.task_first, req.task_at, req.task_patches)
        AS g(id, version, fence, first, at, p)
      WHERE t.id = g.id AND t.version = g.version AND (g.fence IS NULL OR t.fence = g.fence)
        AND (g.at = 0 OR req.tasks[g.at] = g.id AND req.tasks[g.first] = g.id AND s.task_from[g.first] = t.status)
      RETURNING t.version - g.version AS moves)
    SELECT count(*), s.task_moves - coalesce(sum(m.moves), 0) INTO hit, s.task_moves FROM moved m;
    IF hit <> cardinality(req.task_ids) THEN
      PERFORM baton_missed('task', req.task_ids, req.task_at, req.tasks);
    END IF;
  END IF;
  IF cardinality(req.attempt_ids) > 0 THEN
    WITH moved AS (
      UPDATE attempt a SET
        turn_status = CASE WHEN g.at = 0 THEN a.turn_status ELSE s.turn_to[g.at] END,
        turn_seq = CASE WHEN g.at = 0 THEN a.turn_seq ELSE req.turn_seqs[g.at] END,
        counted = CASE WHEN g.p ? 'counted' THEN (g.p->>'counted')::boolean ELSE a.counted END,
        fence = CASE WHEN g.p ? 'fence' THEN (g.p->>'fence')::bigint ELSE a.fence END,
        worker_id = CASE WHEN g.p ? 'worker_id' THEN g.p->>'worker_id' ELSE a.worker_id END,
        lease_expires_at = CASE WHEN g.p ? 'lease_expires_at' THEN (g.p->>'lease_expires_at')::timestamptz
          ELSE a.lease_expires_at END,
        open_tools = CASE WHEN g.p ? 'open_tools' THEN (g.p->>'open_tools')::integer ELSE a.open_tools END,
        base_commit = CASE WHEN g.p ? 'base_commit' THEN g.p->>'base_commit' ELSE a.base_commit END,
        start_commit = CASE WHEN g.p ? 'start_commit' THEN g.p->>'start_commit' ELSE a.start_commit END,
        head_commit = CASE WHEN g.p ? 'head_commit' THEN g.p->>'head_commit' ELSE a.head_commit END,
        summary = CASE WHEN g.p ? 'summary' THEN g.p->>'summary' ELSE a.summary END,
        outcome = CASE WHEN g.p ? 'outcome' THEN g.p->>'outcome' ELSE a.outcome END,
        abort_reason = CASE WHEN g.p ? 'abort_reason' THEN g.p->>'abort_reason' ELSE a.abort_reason END,
        rejections = CASE WHEN g.p ? 'rejections' THEN baton_texts(g.p->'rejections') ELSE a.rejections END,
        salvage_ref = CASE WHEN g.p ? 'salvage_ref' THEN g.p->>'salvage_ref' ELSE a.salvage_ref END,
        orphaned_at = CASE WHEN g.p ? 'orphaned_at' THEN (g.p->>'orphaned_at')::timestamptz ELSE a.orphaned_at END,
        orphan_counts = CASE WHEN g.p ? 'orphan_counts' THEN (g.p->>'orphan_counts')::boolean ELSE a.orphan_counts END,
        done_at = CASE WHEN g.p ? 'done_at' THEN (g.p->>'done_at')::timestamptz ELSE a.done_at END,
        route = CASE WHEN g.p ? 'route' THEN nullif(g.p->'route', 'null') ELSE a.route END,
        ended_at = CASE WHEN g.p ? 'ended_at' THEN (g.p->>'ended_at')::timestamptz ELSE a.ended_at END
        FROM unnest(req.attempt_ids, req.attempt_fences, req.attempt_seqs, req.attempt_tools, req.attempt_first,
          req.attempt_at, req.attempt_patches)
          AS g(id, fence, turn_seq, tools, first, at, p)
        WHERE a.id = g.id AND a.fence = g.fence AND a.turn_seq = g.turn_seq
          AND (g.at = 0 OR req.attempts[g.at] = g.id AND req.attempts[g.first] = g.id
            AND s.turn_from[g.first] = a.turn_status)
          -- Not IS NULL: over an empty table the index of open attempts would look as good as the key.
          AND coalesce(a.ended_at, 'infinity') = 'infinity'
          AND (g.tools IS NULL OR a.open_tools = g.tools)
          AND NOT (g.p ? 'if_lapsed' AND a.lease_expires_at > clock_timestamp())
        RETURNING a.id, a.session_id, g.p ? 'free' AS free, a.turn_seq - g.turn_seq AS moves)
    SELECT count(*), array_agg(DISTINCT m.session_id) FILTER (WHERE m.session_id IS NOT NULL),
      array_agg(m.id) FILTER (WHERE m.free), s.turn_moves - coalesce(sum(m.moves), 0)
      INTO hit, sessions, freed, s.turn_moves FROM moved m;
    IF hit <> cardinality(req.attempt_ids) THEN
      IF EXISTS (SELECT 1 FROM unnest(req.attempt_ids, req.attempt_fences) AS g(id, fence)
          WHERE NOT EXISTS (SELECT 1 FROM attempt a WHERE a.id = g.id AND a.fence = g.fence)) THEN
        RAISE EXCEPTION 'another holder' USING ERRCODE = 'BA011';
      END IF;
      PERFORM baton_missed('turn', req.attempt_ids, req.attempt_at, req.attempts);
    END IF;
  END IF;
  IF freed IS NOT NULL THEN PERFORM baton_free_reservations(freed); END IF;
  -- What may be on the target already is landed or given up first.
  IF s.undone IS NOT NULL AND EXISTS (SELECT 1 FROM landing l WHERE l.task_id = ANY (s.undone)
      AND l.confirmed_at IS NULL AND l.abandoned_at IS NULL) THEN
    RAISE EXCEPTION 'a task whose landing is under way stays DONE' USING ERRCODE = 'BA003';
  END IF;
  IF rest ? 'landing' THEN
    UPDATE landing SET confirmed_at = now() WHERE id = (rest#>>'{landing,id}')::uuid AND confirmed_at IS NULL
      AND abandoned_at IS NULL;
    IF NOT FOUND THEN RAISE EXCEPTION 'no open landing' USING ERRCODE = 'BA012'; END IF;
  END IF;
  IF rest ? 'decision' THEN
    UPDATE approval p SET status = rest#>>'{decision,status}', decided_by = rest#>>'{decision,by}',
      decision_reason = rest#>>'{decision,reason}',
      decided_at = now()
     WHERE p.id = (rest#>>'{decision,id}')::uuid AND p.status = 'waiting' AND p.nonce = rest#>>'{decision,nonce}';
    IF NOT FOUND THEN RAISE EXCEPTION 'no waiting approval' USING ERRCODE = 'BA013'; END IF;
  END IF;

  IF cardinality(req.steps) > 0 THEN
    -- Each move is one of a row that was compared and set, and what moves twice goes on from where it went.
    IF s.task_moves <> 0 OR s.turn_moves <> 0 OR s.agent_moves <> 0 OR s.execution_moves <> 0 OR s.run_moves <> 0
      OR s.again AND NOT baton_is_chained(v_steps, req.tasks, req.attempts, req.sessions, req.task_seqs, req.turn_seqs,
        req.agent_seqs, req.execution_seqs) THEN
      RAISE EXCEPTION 'a row must be set from the last change of its machine' USING ERRCODE = 'BA002';
    END IF;
    INSERT INTO change (at, step, run_id, task_id, attempt_id, session_id, task_seq, turn_seq, agent_seq, execution_seq,
        run_seq, actor, reason, transition_reason, abort_reason, extra)
      SELECT clock_timestamp(), g.step, g.run, g.task, g.attempt, g.session, g.task_seq, g.turn_seq, g.agent_seq,
          g.execution_seq, g.run_seq, g.actor, g.reason, g.transition_reason, g.abort_reason,
          CASE WHEN g.metadata IS NOT NULL THEN jsonb_build_object('metadata', g.metadata) END
        FROM unnest(v_steps, req.runs, req.tasks, req.attempts, req.sessions, req.task_seqs, req.turn_seqs,
          req.agent_seqs, req.execution_seqs, req.run_seqs, req.actors, req.reasons, req.transition_reasons,
          req.abort_reasons, req.metadata) WITH ORDINALITY AS g(step, run, task, attempt, session, task_seq, turn_seq,
          agent_seq, execution_seq, run_seq, actor, reason, transition_reason, abort_reason, metadata, n)
        ORDER BY g.n;
  END IF;

  -- What moves of a task bring with them.
  IF s.decided IS NOT NULL THEN
    UPDATE approval p SET status = 'void', decided_at = now()
      WHERE p.task_id = ANY (s.decided) AND p.status = 'waiting';
  END IF;
  IF s.closed IS NOT NULL THEN
    FOREACH v_id IN ARRAY s.closed LOOP
      PERFORM baton_must_have_landed(v_id);
      released := released + baton_release_dependents(v_id);
    END LOOP;
  END IF;
  IF s.cancelled IS NOT NULL THEN
    FOREACH v_id IN ARRAY s.cancelled LOOP
      asked := baton_cascade_cancel(v_id);
      cascade := cascade || asked;
    END LOOP;
  END IF;
  IF rest ? 'new_attempts' THEN
    INSERT INTO attempt (id, task_id, run_id, number, fence, done_at)
      SELECT (e->>'id')::uuid, n.id, n.run_id, (SELECT coalesce(max(number), 0) + 1 FROM attempt o
        WHERE o.task_id = n.id), (e->>'fence')::bigint, now()
        FROM jsonb_array_elements(rest->'new_attempts') e JOIN task n ON n.id = (e->>'new')::uuid;
  END IF;
  -- A batch holds its paths until the last of its tasks has left CLAIMED, IN_PROGRESS and DONE.
  IF sessions IS NOT NULL AND EXISTS (SELECT 1 FROM path_lock p WHERE p.session_id = ANY (sessions)) THEN
    DELETE FROM path_lock p WHERE p.session_id = ANY (sessions) AND NOT EXISTS (
      SELECT 1 FROM attempt o JOIN task h ON h.id = o.task_id WHERE o.session_id = p.session_id AND o.ended_at IS NULL
        AND h.status IN ('CLAIMED', 'IN_PROGRESS', 'DONE'));
  END IF;
  IF rest ? 'add' THEN
    PERFORM baton_add_tasks(rest#>'{add,tasks}', rest#>'{add,edges}', rest#>'{add,by}');
  END IF;
  IF rest ? 'approval' THEN
    INSERT INTO approval (id, run_id, task_id, attempt_id, reason, head_commit, patch_id, nonce)
      SELECT n.id, n.run_id, n.task_id, n.attempt_id, n.reason, n.head_commit, n.patch_id, n.nonce
        FROM jsonb_populate_record(NULL::approval, rest->'approval') n;
  END IF;
  RETURN jsonb_build_object('ok', true, 'cascade', to_jsonb(cascade), 'released', released);
END;
$$;
