-- Changes as sets: many rows cost one statement a table, and changes of several callers can go together, each with its own actor.
DROP FUNCTION baton_put_events(text[], uuid[], integer[], uuid[], uuid[], text[], text[], jsonb[], integer[], text, timestamptz);

CREATE FUNCTION baton_put_events(cells text[], entities uuid[], seqs integer[], runs uuid[], tasks uuid[], reasons text[], triggers text[],
  extras jsonb[], ends integer[], v_actor text, v_at timestamptz, actors text[] DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written integer;
BEGIN
  IF pg_trigger_depth() = 0 THEN RAISE EXCEPTION 'events are written through the doors only' USING ERRCODE = 'BA001'; END IF;
  IF cardinality(array_remove(array_remove(ends, 0), NULL)) >= cardinality(cells) THEN
    -- The ordinary set: one event an entity.
    WITH put AS (
      INSERT INTO lifecycle_event (machine, version, entity_id, run_id, task_id, seq, from_state, to_state, event, alias, kind, actor, reason,
        transition_reason, abort_reason, trigger, metadata, at, hash)
      SELECT c.machine, c.version, g.entity_id, g.run_id, g.task_id, g.seq, c.from_state, c.to_state, c.event, c.alias, c.kind, coalesce(g.actor, v_actor), g.reason,
        g.extra->>'transition_reason', g.extra->>'abort_reason', g.trig, coalesce(g.extra->'metadata', '{}'), v_at,
        CASE WHEN g.n = ANY (ends) AND CASE WHEN c.kind = 'created' THEN p.last_seq IS NULL AND g.seq = 0
               WHEN p.last_seq IS NULL THEN g.seq = 1 AND baton_is_initial(c.machine || '|' || c.from_state)
               ELSE g.seq = p.last_seq + 1 AND p.last_state = c.from_state END
          THEN baton_link(p.last_hash, ROW(c.machine, c.version, g.entity_id, g.run_id, g.task_id, g.seq, 0, c.from_state, c.to_state, c.event, c.alias,
            c.kind, coalesce(g.actor, v_actor), g.reason, g.extra->>'transition_reason', g.extra->>'abort_reason', g.trig, coalesce(g.extra->'metadata', '{}'))::text, v_at)
          ELSE baton_no_chain(c.machine, g.entity_id, g.seq) END
      FROM unnest(cells, entities, seqs, runs, tasks, reasons, triggers, extras, actors) WITH ORDINALITY
          AS g(cell, entity_id, seq, run_id, task_id, reason, trig, extra, actor, n)
        CROSS JOIN LATERAL (SELECT m.* FROM machine_cell m WHERE m.key = g.cell OFFSET 0) c
        LEFT JOIN LATERAL (SELECT e.seq AS last_seq, e.to_state AS last_state, e.hash AS last_hash FROM lifecycle_event e
          WHERE e.entity_id = g.entity_id AND e.machine = c.machine ORDER BY e.seq DESC, e.note DESC LIMIT 1) p ON true
      RETURNING id)
    INSERT INTO feed_queue (event_ids) SELECT array_agg(id) FROM put HAVING count(*) > 0 RETURNING cardinality(event_ids) INTO written;
  ELSE
    WITH put AS (
      INSERT INTO lifecycle_event (machine, version, entity_id, run_id, task_id, seq, from_state, to_state, event, alias, kind, actor, reason,
        transition_reason, abort_reason, trigger, metadata, at, hash)
      SELECT machine, version, entity_id, run_id, task_id, seq, from_state, to_state, event, alias, kind, actor, reason, x_reason, x_abort, trig,
        metadata, v_at,
        CASE WHEN CASE WHEN lag(seq) OVER w IS NOT NULL THEN lag(seq) OVER w = seq - 1 AND lag(to_state) OVER w = from_state
                       WHEN kind = 'created' THEN last_seq IS NULL AND seq = 0
                       WHEN last_seq IS NULL THEN seq = 1 AND baton_is_initial(machine || '|' || from_state)
                       ELSE seq = last_seq + 1 AND last_state = from_state END
               AND (lead(seq) OVER w IS NOT NULL OR n = ANY (ends))
          THEN baton_chain(last_hash, ROW(machine, version, entity_id, run_id, task_id, seq, 0, from_state, to_state, event, alias, kind, actor, reason,
            x_reason, x_abort, trig, metadata)::text, v_at) OVER w
          ELSE baton_no_chain(machine, entity_id, seq) END
      FROM (SELECT g.n, g.entity_id, g.seq, g.run_id, g.task_id, coalesce(g.actor, v_actor) AS actor, g.reason, g.trig, g.extra->>'transition_reason' AS x_reason,
          g.extra->>'abort_reason' AS x_abort, coalesce(g.extra->'metadata', '{}') AS metadata,
          c.machine, c.version, c.from_state, c.to_state, c.event, c.alias, c.kind, p.last_seq, p.last_state, p.last_hash
        FROM unnest(cells, entities, seqs, runs, tasks, reasons, triggers, extras, actors) WITH ORDINALITY
            AS g(cell, entity_id, seq, run_id, task_id, reason, trig, extra, actor, n)
          CROSS JOIN LATERAL (SELECT m.* FROM machine_cell m WHERE m.key = g.cell OFFSET 0) c
          LEFT JOIN LATERAL (SELECT e.seq AS last_seq, e.to_state AS last_state, e.hash AS last_hash FROM lifecycle_event e
            WHERE e.entity_id = g.entity_id AND e.machine = c.machine ORDER BY e.seq DESC, e.note DESC LIMIT 1) p ON true) given
      WINDOW w AS (PARTITION BY entity_id, machine ORDER BY seq)
      ORDER BY n
      RETURNING id)
    INSERT INTO feed_queue (event_ids) SELECT array_agg(id) FROM put HAVING count(*) > 0 RETURNING cardinality(event_ids) INTO written;
  END IF;
  IF written IS DISTINCT FROM cardinality(cells) THEN
    RAISE EXCEPTION 'no such move: %', (SELECT string_agg(cell, ', ') FROM unnest(cells) cell
      WHERE NOT EXISTS (SELECT 1 FROM machine_cell c WHERE c.key = cell)) USING ERRCODE = 'BA001';
  END IF;
END;
$$;

-- Tells why not all rows of a change were as it was decided on.
CREATE FUNCTION baton_missed(what text, machines text[], ids uuid[], places integer[], cells text[], entities uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM unnest(ids, places) AS g(id, at) WHERE g.at > 0
      AND NOT coalesce(entities[g.at] = g.id AND split_part(cells[g.at], '|', 1) = ANY (machines), false)) THEN
    RAISE EXCEPTION '% must stand where its last event says', what USING ERRCODE = 'BA002';
  END IF;
  RAISE EXCEPTION 'stale %', what USING ERRCODE = 'BA010';
END;
$$;

DROP VIEW baton_change;
CREATE VIEW baton_change AS SELECT
  NULL::text[] AS actors, NULL::text[] AS cells, NULL::uuid[] AS entities, NULL::integer[] AS seqs, NULL::uuid[] AS runs, NULL::uuid[] AS tasks,
  NULL::text[] AS reasons, NULL::text[] AS triggers, NULL::jsonb[] AS extras,
  NULL::uuid[] AS session_ids, NULL::integer[] AS session_status_seqs, NULL::integer[] AS session_execution_seqs, NULL::integer[] AS session_status_at,
  NULL::integer[] AS session_execution_at, NULL::jsonb[] AS session_patches,
  NULL::uuid[] AS task_ids, NULL::integer[] AS task_versions, NULL::bigint[] AS task_fences, NULL::integer[] AS task_at, NULL::jsonb[] AS task_patches,
  NULL::uuid[] AS attempt_ids, NULL::bigint[] AS attempt_fences, NULL::integer[] AS attempt_seqs, NULL::integer[] AS attempt_tools,
  NULL::integer[] AS attempt_at, NULL::jsonb[] AS attempt_patches,
  NULL::jsonb AS rest, NULL::jsonb AS answer
  WHERE false;

CREATE OR REPLACE FUNCTION baton_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rest jsonb := NEW.rest;
  moves text := array_to_string(NEW.cells, ' ');
  v_cells text[] := NEW.cells;
  v_entities uuid[] := NEW.entities;
  v_seqs integer[] := NEW.seqs;
  hit integer;
  freed uuid[];
  sessions uuid[];
  cascade uuid[] := '{}';
  asked uuid[];
  released integer := 0;
  v_id uuid;
BEGIN
  IF rest ? 'command' THEN
    INSERT INTO command (id, actor, answer) VALUES (rest#>>'{command,id}', rest#>>'{command,actor}', rest#>'{command,answer}') ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      SELECT jsonb_build_object('ok', false, 'why', 'repeated', 'answer', o.answer) INTO NEW.answer FROM command o WHERE o.id = rest#>>'{command,id}';
      RETURN NEW;
    END IF;
  END IF;

  -- Locks, always in the order run, session, tasks, attempts.
  IF rest ? 'run' THEN
    v_id := (rest#>>'{run,id}')::uuid;
    UPDATE run SET status = coalesce(split_part(NEW.cells[(rest#>>'{run,at}')::integer], '|', 5), status),
        seq = coalesce(NEW.seqs[(rest#>>'{run,at}')::integer], seq),
        status_reason = rest#>>'{run,patch,status_reason}', finished_at = (rest#>>'{run,patch,finished_at}')::timestamptz
      WHERE id = v_id AND seq = (rest#>>'{run,seq}')::integer;
    IF NOT FOUND THEN RAISE EXCEPTION 'stale run' USING ERRCODE = 'BA010'; END IF;
    PERFORM baton_refresh_claimable(v_id);
    IF rest->'run' ? 'cancel' THEN
      WITH marked AS (UPDATE task t SET cancel_requested = true, updated_at = now()
        WHERE t.run_id = v_id AND NOT t.settled AND NOT t.cancel_requested RETURNING t.id)
      SELECT coalesce(array_agg(id), '{}') INTO cascade FROM marked;
    END IF;
  END IF;
  IF cardinality(NEW.session_ids) > 0 THEN
    UPDATE agent_session s SET
        status = CASE WHEN g.status_at = 0 THEN s.status ELSE split_part(v_cells[g.status_at], '|', 5) END,
        status_seq = CASE WHEN g.status_at = 0 THEN s.status_seq ELSE v_seqs[g.status_at] END,
        execution_state = CASE WHEN g.execution_at = 0 THEN s.execution_state ELSE split_part(v_cells[g.execution_at], '|', 5) END,
        execution_seq = CASE WHEN g.execution_at = 0 THEN s.execution_seq ELSE v_seqs[g.execution_at] END,
        adapter = CASE WHEN g.p ? 'adapter' THEN g.p->>'adapter' ELSE s.adapter END,
        model = CASE WHEN g.p ? 'model' THEN g.p->>'model' ELSE s.model END,
        pid = CASE WHEN g.p ? 'pid' THEN (g.p->>'pid')::integer ELSE s.pid END,
        pid_started = CASE WHEN g.p ? 'pid_started' THEN g.p->>'pid_started' ELSE s.pid_started END,
        activity = CASE WHEN g.p ? 'activity' THEN g.p->>'activity' ELSE s.activity END,
        current_attempt_id = CASE WHEN g.p ? 'current_attempt_id' THEN (g.p->>'current_attempt_id')::uuid ELSE s.current_attempt_id END,
        exit_code = CASE WHEN g.p ? 'exit_code' THEN (g.p->>'exit_code')::integer ELSE s.exit_code END,
        abort_reason = CASE WHEN g.p ? 'abort_reason' THEN g.p->>'abort_reason' ELSE s.abort_reason END,
        workspace = CASE WHEN g.p ? 'workspace' THEN g.p->>'workspace' ELSE s.workspace END,
        deadline_at = CASE WHEN g.p ? 'deadline_at' THEN (g.p->>'deadline_at')::timestamptz ELSE s.deadline_at END,
        last_sign_at = CASE WHEN g.p ? 'last_sign_at' THEN (g.p->>'last_sign_at')::timestamptz ELSE s.last_sign_at END,
        ended_at = CASE WHEN g.p ? 'ended_at' THEN (g.p->>'ended_at')::timestamptz ELSE s.ended_at END
      FROM unnest(NEW.session_ids, NEW.session_status_seqs, NEW.session_execution_seqs, NEW.session_status_at, NEW.session_execution_at,
        NEW.session_patches) AS g(id, status_seq, execution_seq, status_at, execution_at, p)
      WHERE s.id = g.id AND s.status_seq = g.status_seq AND s.execution_seq = g.execution_seq
        AND (g.status_at = 0 OR v_entities[g.status_at] = g.id AND starts_with(v_cells[g.status_at], 'agent|'))
        AND (g.execution_at = 0 OR v_entities[g.execution_at] = g.id AND starts_with(v_cells[g.execution_at], 'execution|'));
    GET DIAGNOSTICS hit = ROW_COUNT;
    IF hit <> cardinality(NEW.session_ids) THEN
      PERFORM baton_missed('session', ARRAY['agent', 'execution'], NEW.session_ids || NEW.session_ids, NEW.session_status_at || NEW.session_execution_at, v_cells, v_entities);
    END IF;
    IF NEW.session_patches::text LIKE '%ended_at%' THEN
      DELETE FROM slot o WHERE o.session_id IN (
        SELECT g.id FROM unnest(NEW.session_ids, NEW.session_patches) AS g(id, p) WHERE g.p->>'ended_at' IS NOT NULL);
    END IF;
  END IF;
  IF cardinality(NEW.task_ids) > 1 THEN
    PERFORM 1 FROM task t WHERE t.id = ANY (NEW.task_ids) ORDER BY t.id FOR NO KEY UPDATE;
  END IF;
  IF cardinality(NEW.task_ids) > 0 THEN
    UPDATE task t SET
        status = CASE WHEN g.at = 0 THEN t.status ELSE split_part(v_cells[g.at], '|', 5) END,
        version = CASE WHEN g.at = 0 THEN t.version ELSE v_seqs[g.at] END,
        fence = CASE WHEN g.p ? 'fence' THEN (g.p->>'fence')::bigint ELSE t.fence END,
        tries = CASE WHEN g.p ? 'tries' THEN (g.p->>'tries')::integer ELSE t.tries END,
        granted_tries = CASE WHEN g.p ? 'granted_tries' THEN (g.p->>'granted_tries')::integer ELSE t.granted_tries END,
        conflicts = CASE WHEN g.p ? 'conflicts' THEN (g.p->>'conflicts')::integer ELSE t.conflicts END,
        continue_from = CASE WHEN g.p ? 'continue_from' THEN nullif(g.p->'continue_from', 'null') ELSE t.continue_from END,
        setbacks = CASE WHEN g.p ? 'setbacks' THEN (g.p->>'setbacks')::integer ELSE t.setbacks END,
        settled = CASE WHEN g.p ? 'settled' THEN (g.p->>'settled')::boolean ELSE t.settled END,
        not_before = CASE WHEN g.p ? 'not_before' THEN (g.p->>'not_before')::timestamptz ELSE t.not_before END,
        blocked_on = CASE WHEN g.p ? 'blocked_on' THEN nullif(g.p->'blocked_on', 'null') ELSE t.blocked_on END,
        cancel_requested = CASE WHEN g.p ? 'cancel_requested' THEN (g.p->>'cancel_requested')::boolean ELSE t.cancel_requested END,
        updated_at = now(),
        claimable = CASE WHEN CASE WHEN g.at = 0 THEN t.status ELSE split_part(v_cells[g.at], '|', 5) END = 'OPEN'
          THEN coalesce(CASE WHEN g.p ? 'not_before' THEN (g.p->>'not_before')::timestamptz ELSE t.not_before END <= now(), true) AND baton_run_open(t.run_id)
          ELSE false END
      FROM unnest(NEW.task_ids, NEW.task_versions, NEW.task_fences, NEW.task_at, NEW.task_patches) AS g(id, version, fence, at, p)
      WHERE t.id = g.id AND t.version = g.version AND (g.fence IS NULL OR t.fence = g.fence)
        AND (g.at = 0 OR v_entities[g.at] = g.id AND starts_with(v_cells[g.at], 'task|'));
    GET DIAGNOSTICS hit = ROW_COUNT;
    IF hit <> cardinality(NEW.task_ids) THEN
      PERFORM baton_missed('task', ARRAY['task'], NEW.task_ids, NEW.task_at, v_cells, v_entities);
    END IF;
  END IF;
  IF cardinality(NEW.attempt_ids) > 0 THEN
    WITH moved AS (
      UPDATE attempt a SET
        turn_status = CASE WHEN g.at = 0 THEN a.turn_status ELSE split_part(v_cells[g.at], '|', 5) END,
        turn_seq = CASE WHEN g.at = 0 THEN a.turn_seq ELSE v_seqs[g.at] END,
        counted = CASE WHEN g.p ? 'counted' THEN (g.p->>'counted')::boolean ELSE a.counted END,
        fence = CASE WHEN g.p ? 'fence' THEN (g.p->>'fence')::bigint ELSE a.fence END,
        worker_id = CASE WHEN g.p ? 'worker_id' THEN g.p->>'worker_id' ELSE a.worker_id END,
        lease_expires_at = CASE WHEN g.p ? 'lease_expires_at' THEN (g.p->>'lease_expires_at')::timestamptz ELSE a.lease_expires_at END,
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
        FROM unnest(NEW.attempt_ids, NEW.attempt_fences, NEW.attempt_seqs, NEW.attempt_tools, NEW.attempt_at, NEW.attempt_patches)
          AS g(id, fence, turn_seq, tools, at, p)
        WHERE a.id = g.id AND a.fence = g.fence AND a.turn_seq = g.turn_seq
          AND (g.at = 0 OR v_entities[g.at] = g.id AND starts_with(v_cells[g.at], 'turn|'))
          -- Not IS NULL: over an empty table the index of open attempts would look as good as the key.
          AND coalesce(a.ended_at, 'infinity') = 'infinity'
          AND (g.tools IS NULL OR a.open_tools = g.tools)
          AND NOT (g.p ? 'if_lapsed' AND a.lease_expires_at > clock_timestamp())
        RETURNING a.id, a.session_id, g.p ? 'free' AS free)
    SELECT count(*), array_agg(DISTINCT m.session_id) FILTER (WHERE m.session_id IS NOT NULL), array_agg(m.id) FILTER (WHERE m.free)
      INTO hit, sessions, freed FROM moved m;
    IF hit <> cardinality(NEW.attempt_ids) THEN
      IF EXISTS (SELECT 1 FROM unnest(NEW.attempt_ids, NEW.attempt_fences) AS g(id, fence)
          WHERE NOT EXISTS (SELECT 1 FROM attempt a WHERE a.id = g.id AND a.fence = g.fence)) THEN
        RAISE EXCEPTION 'another holder' USING ERRCODE = 'BA011';
      END IF;
      PERFORM baton_missed('turn', ARRAY['turn'], NEW.attempt_ids, NEW.attempt_at, v_cells, v_entities);
    END IF;
  END IF;
  IF freed IS NOT NULL THEN PERFORM baton_free_reservations(freed); END IF;
  IF rest ? 'landing' THEN
    UPDATE landing SET confirmed_at = now() WHERE id = (rest#>>'{landing,id}')::uuid AND confirmed_at IS NULL AND abandoned_at IS NULL;
    IF NOT FOUND THEN RAISE EXCEPTION 'no open landing' USING ERRCODE = 'BA012'; END IF;
  END IF;
  IF rest ? 'decision' THEN
    UPDATE approval p SET status = rest#>>'{decision,status}', decided_by = rest#>>'{decision,by}', decision_reason = rest#>>'{decision,reason}',
      decided_at = now()
     WHERE p.id = (rest#>>'{decision,id}')::uuid AND p.status = 'waiting' AND p.nonce = rest#>>'{decision,nonce}';
    IF NOT FOUND THEN RAISE EXCEPTION 'no waiting approval' USING ERRCODE = 'BA013'; END IF;
  END IF;

  IF cardinality(NEW.cells) > 0 THEN
    PERFORM baton_put_events(NEW.cells, NEW.entities, NEW.seqs, NEW.runs, NEW.tasks, NEW.reasons, NEW.triggers, NEW.extras,
      NEW.session_status_at || NEW.session_execution_at || NEW.task_at || NEW.attempt_at || (rest#>>'{run,at}')::integer, NULL, clock_timestamp(), NEW.actors);
  END IF;

  -- What moves of a task bring with them.
  IF moves LIKE '%task|PENDING_APPROVAL|%' THEN
    UPDATE approval p SET status = 'void', decided_at = now() FROM unnest(NEW.cells, NEW.entities) AS g(cell, id)
      WHERE g.cell LIKE 'task|PENDING_APPROVAL|%' AND p.task_id = g.id AND p.status = 'waiting';
  END IF;
  IF moves LIKE '%|CLOSED|move%' THEN
    FOR v_id IN SELECT g.id FROM unnest(NEW.cells, NEW.entities) AS g(cell, id) WHERE g.cell LIKE 'task|%|CLOSED|move' LOOP
      PERFORM baton_must_have_landed(v_id);
      released := released + baton_release_dependents(v_id);
    END LOOP;
  END IF;
  IF moves LIKE '%|CANCELLED|move%' THEN
    FOR v_id IN SELECT g.id FROM unnest(NEW.cells, NEW.entities) AS g(cell, id) WHERE g.cell LIKE 'task|%|CANCELLED|move' LOOP
      asked := baton_cascade_cancel(v_id);
      cascade := cascade || asked;
    END LOOP;
  END IF;
  IF rest ? 'new_attempts' THEN
    INSERT INTO attempt (id, task_id, run_id, number, fence, done_at)
      SELECT (e->>'id')::uuid, n.id, n.run_id, (SELECT coalesce(max(number), 0) + 1 FROM attempt o WHERE o.task_id = n.id), (e->>'fence')::bigint, now()
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
  NEW.answer := jsonb_build_object('ok', true, 'cascade', to_jsonb(cascade), 'released', released);
  RETURN NEW;
END;
$$;
CREATE TRIGGER baton_change INSTEAD OF INSERT ON baton_change FOR EACH ROW EXECUTE FUNCTION baton_change();
ALTER FUNCTION baton_change() SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan;

-- The door for many claims at once, a session of one task each, for several workers of one kind. It takes the ready tasks in the
-- very order of single claims, up to the first that needs a slot or paths: that one is claimed by itself. `cut` says that there was
-- one, or that budgets had no room for all.
DROP VIEW baton_claim_set;
DROP FUNCTION baton_claim_many();
DROP FUNCTION baton_run_unbound(uuid);
CREATE VIEW baton_claim_set AS SELECT
  NULL::text[] AS workers, NULL::text AS host, NULL::text[] AS labels, NULL::text[] AS roles, NULL::uuid AS run_id, NULL::integer AS lease_ms,
  NULL::uuid[] AS session_ids, NULL::uuid[] AS attempt_ids, NULL::text[] AS known_runs, NULL::json AS answer
  WHERE false;

CREATE FUNCTION baton_claim_many() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  expires timestamptz := moment + NEW.lease_ms * interval '1 millisecond';
  ids uuid[];
  size integer;
  found integer;
  numbers integer[];
  fences bigint[];
  versions integer[];
  runs uuid[];
  capped uuid[];
  actors text[];
  items json;
BEGIN
  -- Two forms of one query, so that each has the index in its own order.
  IF NEW.run_id IS NULL THEN
    SELECT array_agg(h.id ORDER BY h.n) FILTER (WHERE h.plain), count(*), array_agg(DISTINCT h.capped) FILTER (WHERE h.plain AND h.capped IS NOT NULL)
      INTO ids, found, capped
      FROM (SELECT o.id, o.n, o.capped, bool_and(o.plain) OVER (ORDER BY o.n) AS plain
        FROM (SELECT o.id, o.capped, o.plain, row_number() OVER (ORDER BY o.rank, o.id) AS n
          FROM (SELECT o.id, o.rank, o.files = '{}' AND r.max_agents IS NULL AS plain, CASE WHEN r.cap_micro_usd IS NOT NULL THEN o.run_id END AS capped
            FROM task o CROSS JOIN LATERAL (SELECT r.max_agents, b.cap_micro_usd FROM run r JOIN budget b ON b.run_id = r.id WHERE r.id = o.run_id OFFSET 0) r
            WHERE o.status = 'OPEN' AND o.pending_dependencies = 0 AND o.claimable AND NOT o.cancel_requested
              AND (o.host IS NULL OR o.host = NEW.host) AND o.labels <@ NEW.labels AND (NEW.roles IS NULL OR o.role = ANY (NEW.roles))
              AND (o.files = '{}' OR baton_paths_free(o.repo_id, o.files, o.rank))
            ORDER BY o.rank, o.id LIMIT cardinality(NEW.session_ids) FOR NO KEY UPDATE OF o SKIP LOCKED) o) o) h;
  ELSE
    SELECT array_agg(h.id ORDER BY h.n) FILTER (WHERE h.plain), count(*), array_agg(DISTINCT h.capped) FILTER (WHERE h.plain AND h.capped IS NOT NULL)
      INTO ids, found, capped
      FROM (SELECT o.id, o.n, o.capped, bool_and(o.plain) OVER (ORDER BY o.n) AS plain
        FROM (SELECT o.id, o.capped, o.plain, row_number() OVER (ORDER BY o.rank, o.id) AS n
          FROM (SELECT o.id, o.rank, o.files = '{}' AND r.max_agents IS NULL AS plain, CASE WHEN r.cap_micro_usd IS NOT NULL THEN o.run_id END AS capped
            FROM task o CROSS JOIN LATERAL (SELECT r.max_agents, b.cap_micro_usd FROM run r JOIN budget b ON b.run_id = r.id WHERE r.id = o.run_id OFFSET 0) r
            WHERE o.run_id = NEW.run_id AND o.status = 'OPEN' AND o.pending_dependencies = 0 AND o.claimable AND NOT o.cancel_requested
              AND (o.host IS NULL OR o.host = NEW.host) AND o.labels <@ NEW.labels AND (NEW.roles IS NULL OR o.role = ANY (NEW.roles))
              AND (o.files = '{}' OR baton_paths_free(o.repo_id, o.files, o.rank))
            ORDER BY o.rank, o.id LIMIT cardinality(NEW.session_ids) FOR NO KEY UPDATE OF o SKIP LOCKED) o) o) h;
  END IF;
  size := coalesce(cardinality(ids), 0);
  IF size > 0 AND capped IS NOT NULL AND NOT baton_reserve_all(ids, NEW.attempt_ids, capped) THEN
    size := 0;
  END IF;
  IF size = 0 THEN
    NEW.answer := json_build_object('tasks', '[]'::json, 'runs', '[]'::json, 'cut', found > 0);
    RETURN NEW;
  END IF;
  WITH held AS (
      UPDATE task t SET status = 'CLAIMED', version = t.version + 1, fence = t.fence + 1, claimable = false, paths_wanted_since = NULL, updated_at = moment
        WHERE t.id = ANY (ids) RETURNING t.*),
    made AS (
      INSERT INTO attempt (id, task_id, run_id, session_id, number, place, fence, worker_id, lease_expires_at, turn_status, turn_seq, created_at)
        SELECT NEW.attempt_ids[g.n], h.id, h.run_id, NEW.session_ids[g.n], coalesce((SELECT max(o.number) FROM attempt o WHERE o.task_id = h.id), 0) + 1, 1,
          h.fence, NEW.workers[g.n], expires, 'CLAIMING', 1, moment
        FROM held h JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id
        RETURNING task_id, number),
    sat AS (
      INSERT INTO agent_session (id, run_id, worker_id, host, created_at)
        SELECT NEW.session_ids[g.n], h.run_id, NEW.workers[g.n], NEW.host, moment FROM held h JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id)
  SELECT array_agg(m.number ORDER BY g.n), array_agg(h.fence ORDER BY g.n), array_agg(h.version ORDER BY g.n), array_agg(h.run_id ORDER BY g.n),
      json_agg(json_build_object('task', h, 'number', m.number, 'fence', h.fence,
        'earlier', CASE WHEN m.number > 1 THEN baton_earlier(h.id, m.number) END, 'predecessors', baton_predecessors(h.id)) ORDER BY g.n)
    INTO numbers, fences, versions, runs, items
    FROM held h JOIN made m ON m.task_id = h.id JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id;
  actors := ARRAY(SELECT 'worker:' || w.id FROM unnest(NEW.workers[1:size]) WITH ORDINALITY AS w(id, n) ORDER BY w.n);
  PERFORM baton_put_events(
      array_fill('task|OPEN|claim||CLAIMED|move'::text, ARRAY[size]) || array_fill('turn|IDLE|task_claimed||CLAIMING|move'::text, ARRAY[size]),
      ids || NEW.attempt_ids[1:size], versions || array_fill(1, ARRAY[size]), runs || runs, ids || ids,
      array_fill('claimed'::text, ARRAY[2 * size]), array_fill(NULL::text, ARRAY[2 * size]),
      (SELECT array_agg(jsonb_build_object('metadata', jsonb_build_object('attemptId', NEW.attempt_ids[n], 'number', numbers[n], 'fence', fences[n],
        'sessionId', NEW.session_ids[n])) ORDER BY n) FROM generate_series(1, size) n) || array_fill(NULL::jsonb, ARRAY[size]),
      (SELECT array_agg(n) FROM generate_series(1, 2 * size) n), NULL, moment,
      actors || actors);
  NEW.answer := json_build_object('now', moment, 'expires', expires, 'tasks', items, 'cut', found > size, 'runs', (
      SELECT coalesce(json_agg(json_build_object('mark', r.xmin::text, 'run', to_jsonb(r) || baton_run_money(r.id), 'repo', p)), '[]')
        FROM run r JOIN repo p ON p.id = r.repo_id WHERE r.id = ANY (runs) AND r.id || ':' || r.xmin::text <> ALL (NEW.known_runs)),
    'money', CASE WHEN capped IS NOT NULL THEN (SELECT json_object_agg(c.id, baton_run_money(c.id)) FROM unnest(capped) AS c(id)) END);
  RETURN NEW;
END;
$$;
CREATE TRIGGER baton_claim_many INSTEAD OF INSERT ON baton_claim_set FOR EACH ROW EXECUTE FUNCTION baton_claim_many();

-- Reserves the costs of all these tasks that have a budget, or nothing: no room for all of them, or 95 % of one are spent.
CREATE FUNCTION baton_reserve_all(ids uuid[], attempts uuid[], capped uuid[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  hit integer;
BEGIN
  PERFORM 1 FROM budget b WHERE b.run_id = ANY (capped) ORDER BY b.run_id FOR NO KEY UPDATE;
  IF EXISTS (SELECT 1 FROM budget b WHERE b.run_id = ANY (capped) AND (b.spent_micro_usd * 100 >= b.cap_micro_usd * 95
      OR b.cap_micro_usd - b.spent_micro_usd - b.reserved_micro_usd < (
        SELECT sum(coalesce(t.max_cost_micro_usd, baton_default_cost(t.scope))) FROM task t WHERE t.id = ANY (ids) AND t.run_id = b.run_id))) THEN
    RETURN false;
  END IF;
  WITH kept AS (
    INSERT INTO reservation (attempt_id, run_id, amount_micro_usd, left_micro_usd)
      SELECT attempts[g.n], t.run_id, w.amount, w.amount FROM unnest(ids) WITH ORDINALITY AS g(id, n) JOIN task t ON t.id = g.id
        CROSS JOIN LATERAL (SELECT coalesce(t.max_cost_micro_usd, baton_default_cost(t.scope)) AS amount) w WHERE t.run_id = ANY (capped)
      RETURNING run_id, amount_micro_usd),
    sums AS (SELECT run_id, sum(amount_micro_usd) AS amount FROM kept GROUP BY run_id)
  UPDATE budget b SET reserved_micro_usd = b.reserved_micro_usd + s.amount FROM sums s WHERE b.run_id = s.run_id;
  RETURN true;
END;
$$;
ALTER FUNCTION baton_claim_many() SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan;
