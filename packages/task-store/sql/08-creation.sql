-- New runs and tasks, also those of deliveries from outside. Each request is carried out once, whoever repeats it.

-- Creates tasks of one run as one set. The caller knows what it added: the answer says only when, in microseconds,
-- and whether the run takes claims; it is null when some have edges, which are to be read. A dependency is locked FOR
-- SHARE, so that its closing is not missed.
CREATE FUNCTION baton_add_tasks(tasks jsonb, edges jsonb, by jsonb) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  v_actor text := by->>'actor';
  v_reason text := by->>'reason';
  opened boolean;
  written integer;
BEGIN
  IF baton_unchecked() THEN RAISE EXCEPTION 'tasks are made by baton_create, baton_add and the like'
    USING ERRCODE = 'BA001'; END IF;
  IF jsonb_array_length(tasks) = 0 THEN RETURN NULL; END IF;
  IF jsonb_array_length(edges) > 0 THEN
    PERFORM 1 FROM task d WHERE d.id IN (SELECT (e->>'depends_on_id')::uuid FROM jsonb_array_elements(edges) e)
      ORDER BY d.id FOR SHARE;
  END IF;
  opened := baton_run_open((tasks->0->>'run_id')::uuid);
  WITH made AS (
    INSERT INTO task (id, run_id, repo_id, host, parent_id, key, title, goal, role, scope, complexity, risk,
      priority, files, context, signals, agent,
        model, effort, labels, status, max_retries, max_attempts, not_before, deadline_at, timeout_ms,
          max_cost_micro_usd, approval, allow_red,
        idempotency_key, source, created_at, updated_at, rank, claimable)
      SELECT t.id, t.run_id, t.repo_id, t.host, t.parent_id, t.key, t.title, t.goal, t.role, t.scope, t.complexity,
        t.risk, t.priority, t.files, t.context,
        t.signals, nullif(t.agent, 'null'), t.model, t.effort, t.labels, t.status, t.max_retries, t.max_attempts,
          t.not_before, t.deadline_at,
        t.timeout_ms, t.max_cost_micro_usd, t.approval, t.allow_red, t.idempotency_key, t.source,
          moment + t.n * interval '1 microsecond', moment,
        moment + t.n * interval '1 microsecond' + t.priority * interval '5 minutes' - CASE WHEN t.priority = 0
          THEN interval '100 years' ELSE interval '0' END,
        opened AND t.status = 'OPEN' AND coalesce(t.not_before <= now(), true)
      FROM ROWS FROM (jsonb_to_recordset(tasks) AS (id uuid, run_id uuid, repo_id uuid, host text, parent_id uuid,
        key text, title text, goal text, role text,
        scope text, complexity text, risk text, priority integer, files text[], context text[], signals jsonb,
          agent jsonb, model text, effort text,
        labels text[], status text, max_retries integer, max_attempts integer, not_before timestamptz,
          deadline_at timestamptz, timeout_ms integer,
        max_cost_micro_usd bigint, approval boolean, allow_red text[], idempotency_key text,
          source jsonb)) WITH ORDINALITY
        AS t(id, run_id, repo_id, host, parent_id, key, title, goal, role, scope, complexity, risk, priority, files,
          context, signals, agent, model, effort,
          labels, status, max_retries, max_attempts, not_before, deadline_at, timeout_ms, max_cost_micro_usd,
            approval, allow_red, idempotency_key, source, n)
      RETURNING id, run_id, status, created_at),
    sets AS (SELECT m.run_id, m.status, array_agg(m.id ORDER BY m.created_at) AS ids FROM made m
      GROUP BY m.run_id, m.status),
    put AS (
      INSERT INTO change (at, step, run_id, task_id, tasks, task_seq, actor, reason)
      SELECT moment, c.id, m.run_id, CASE WHEN cardinality(m.ids) = 1 THEN m.ids[1] END,
          CASE WHEN cardinality(m.ids) > 1 THEN m.ids END, 0, v_actor, v_reason
        FROM sets m CROSS JOIN LATERAL (SELECT o.id FROM step o
          WHERE o.key = 'task||created||' || m.status || '|created||' OFFSET 0) c
      RETURNING coalesce(cardinality(change.tasks), 1) AS size)
  SELECT sum(size) INTO written FROM put;
  IF written IS DISTINCT FROM jsonb_array_length(tasks) THEN RAISE EXCEPTION 'a task cannot begin in this state'
    USING ERRCODE = 'BA001'; END IF;
  IF jsonb_array_length(edges) = 0 THEN RETURN json_build_object('at',
    (extract(epoch FROM moment) * 1000000)::bigint, 'opened', opened); END IF;
  INSERT INTO task_dependency (task_id, depends_on_id, satisfied)
    SELECT (e->>'task_id')::uuid, d.id, d.status = 'CLOSED' FROM jsonb_array_elements(edges) e JOIN task d
      ON d.id = (e->>'depends_on_id')::uuid;
  UPDATE task t SET pending_dependencies = n.pending
    FROM (SELECT task_id, count(*) AS pending FROM task_dependency WHERE NOT satisfied
           AND task_id IN (SELECT (e->>'task_id')::uuid FROM jsonb_array_elements(edges) e) GROUP BY task_id) n
   WHERE t.id = n.task_id;
  RETURN NULL;
END;
$$;

-- Creates a run with its repository, budget and tasks, or gives the run that the same command created before.
CREATE FUNCTION baton_create_as_set(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_repo uuid;
  r run := jsonb_populate_record(NULL::run, request->'run');
BEGIN
  IF request ? 'command' THEN
    INSERT INTO command (id, actor, answer) VALUES (request#>>'{command,id}', request#>>'{command,actor}',
      jsonb_build_object('runId', r.id))
      ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RETURN (SELECT c.answer FROM command c WHERE c.id = request#>>'{command,id}');
    END IF;
  END IF;
  v_repo := baton_have_repo(request->'repo');
  INSERT INTO run (id, slug, name, repo_id, status, target, base_commit, batch_size, max_agents, trust, review,
    gates, gates_hash, allow_red,
      workspace, agents, default_agent, routing, plan, standing, created_by)
    VALUES (r.id, r.slug, r.name, v_repo, r.status, r.target, r.base_commit, r.batch_size, r.max_agents, r.trust,
      r.review, r.gates, r.gates_hash,
      r.allow_red, r.workspace, r.agents, r.default_agent, r.routing, r.plan, r.standing, r.created_by);
  INSERT INTO change (at, step, run_id, run_seq, actor, reason)
    VALUES (clock_timestamp(), baton_step('run||created||' || r.status || '|created||'), r.id, 0,
      request#>>'{by,actor}', request#>>'{by,reason}');
  INSERT INTO budget (run_id, cap_micro_usd) VALUES (r.id, (request->>'budget')::bigint);
  PERFORM baton_add_tasks((SELECT coalesce(jsonb_agg(t || jsonb_build_object('repo_id', v_repo) ORDER BY n), '[]')
    FROM jsonb_array_elements(request->'tasks') WITH ORDINALITY x(t, n)), request->'edges', request->'by');
  RETURN jsonb_build_object('runId', r.id);
END;
$$;

-- Adds tasks to a run. Nothing is added to a run that was cancelled or that waits for a task that was cancelled
-- meanwhile, and what the run is said to be is what it is until the tasks are there. The answer: the new rows, or
-- what the same command did before.
CREATE FUNCTION baton_add_as_set(request jsonb) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  v_status text;
BEGIN
  SELECT r.status INTO v_status FROM run r WHERE r.id = (request->>'run_id')::uuid FOR SHARE;
  IF request ? 'command' THEN
    INSERT INTO command (id, actor, answer) VALUES (request#>>'{command,id}', request#>>'{command,actor}',
      request#>'{command,answer}') ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RETURN (SELECT json_build_object('repeated', o.answer) FROM command o WHERE o.id = request#>>'{command,id}');
    END IF;
  END IF;
  IF v_status = 'cancelled' THEN RAISE EXCEPTION 'the run is cancelled' USING ERRCODE = 'BA015'; END IF;
  IF EXISTS (SELECT 1 FROM (SELECT d.status FROM task d
    WHERE d.id IN (SELECT (e->>'depends_on_id')::uuid FROM jsonb_array_elements(request->'edges') e)
      ORDER BY d.id FOR SHARE) d WHERE d.status = 'CANCELLED') THEN
    RAISE EXCEPTION 'stale dependency' USING ERRCODE = 'BA010';
  END IF;
  RETURN json_build_object('made', baton_add_tasks(request->'tasks', request->'edges', request->'by'),
    'runStatus', v_status);
END;
$$;

-- How many tasks these rules have made; it only rises.
CREATE FUNCTION baton_made_by_rules(rules text[]) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT count(*) FROM run r JOIN task t ON t.run_id = r.id WHERE r.standing AND r.created_by = ANY (rules));
END;
$$;

-- One delivery from outside with the tasks it makes, or the answer that was given before. With `decided_on`, the limits
-- of rules were held against what these rules had made by then: if they have made more since, nothing happens.
CREATE FUNCTION baton_accept_delivery_as_set(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  known trigger_delivery;
  item jsonb;
BEGIN
  IF jsonb_typeof(request->'decided_on') = 'object' THEN
    -- Until this transaction ends no other delivery is held against limits.
    PERFORM pg_advisory_xact_lock(hashtextextended('baton trigger limits', 0));
    IF NOT EXISTS (SELECT 1 FROM trigger_delivery d WHERE d.source = request#>>'{event,source}'
        AND d.delivery_id = request#>>'{event,deliveryId}')
      AND baton_made_by_rules(ARRAY(SELECT jsonb_array_elements_text(request#>'{decided_on,rules}')))
        <> (request#>>'{decided_on,made}')::bigint THEN
      RETURN jsonb_build_object('duplicate', false, 'overtaken', true, 'taskIds', '[]'::jsonb);
    END IF;
  END IF;
  INSERT INTO trigger_delivery (id, source, delivery_id, kind, event, received_at, task_ids)
    VALUES ((request->>'id')::uuid, request#>>'{event,source}', request#>>'{event,deliveryId}',
      request#>>'{event,kind}', request->'event',
      (request#>>'{event,receivedAt}')::timestamptz, ARRAY(SELECT jsonb_array_elements_text(request->'task_ids')::uuid))
    ON CONFLICT (source, delivery_id) DO NOTHING;
  IF NOT FOUND THEN
    SELECT * INTO known FROM trigger_delivery WHERE source = request#>>'{event,source}'
      AND delivery_id = request#>>'{event,deliveryId}';
    RETURN jsonb_build_object('duplicate', true, 'overtaken', false, 'taskIds', to_jsonb(known.task_ids));
  END IF;
  FOR item IN SELECT value FROM jsonb_array_elements(request->'adds') LOOP
    PERFORM baton_add_tasks(item->'tasks', item->'edges', item->'by');
  END LOOP;
  RETURN jsonb_build_object('duplicate', false, 'overtaken', false, 'taskIds', request->'task_ids');
END;
$$;
