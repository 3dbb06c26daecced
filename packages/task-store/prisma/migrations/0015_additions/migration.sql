-- Every change of a status writes an entry into each index of the row: those that few tasks need hold only these.
DROP INDEX task_parent_id_idx, task_idempotency_key;
CREATE INDEX task_parent_id_idx ON task (parent_id) WHERE parent_id IS NOT NULL;
CREATE UNIQUE INDEX task_idempotency_key ON task (run_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- New tasks as one set, all of one run. The caller knows what it added: the answer says only when, in microseconds, and whether the
-- run takes claims; it is null when some have edges, which are to be read. A dependency is locked FOR SHARE, so that its closing is
-- not missed. Called by the doors only.
DROP FUNCTION baton_add_tasks(jsonb, jsonb, jsonb);
CREATE FUNCTION baton_add_tasks(tasks jsonb, edges jsonb, by jsonb) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  v_actor text := by->>'actor';
  v_reason text := by->>'reason';
  opened boolean;
  written integer;
BEGIN
  IF pg_trigger_depth() = 0 THEN RAISE EXCEPTION 'tasks are made through the doors only' USING ERRCODE = 'BA001'; END IF;
  IF jsonb_array_length(tasks) = 0 THEN RETURN NULL; END IF;
  IF jsonb_array_length(edges) > 0 THEN
    PERFORM 1 FROM task d WHERE d.id IN (SELECT (e->>'depends_on_id')::uuid FROM jsonb_array_elements(edges) e) ORDER BY d.id FOR SHARE;
  END IF;
  opened := baton_run_open((tasks->0->>'run_id')::uuid);
  WITH made AS (
    INSERT INTO task (id, run_id, repo_id, host, parent_id, key, title, goal, role, scope, complexity, risk, priority, files, context, signals, agent,
        model, effort, labels, status, max_retries, max_attempts, not_before, deadline_at, timeout_ms, max_cost_micro_usd, approval, allow_red,
        idempotency_key, source, created_at, updated_at, rank, claimable)
      SELECT t.id, t.run_id, t.repo_id, t.host, t.parent_id, t.key, t.title, t.goal, t.role, t.scope, t.complexity, t.risk, t.priority, t.files, t.context,
        t.signals, nullif(t.agent, 'null'), t.model, t.effort, t.labels, t.status, t.max_retries, t.max_attempts, t.not_before, t.deadline_at,
        t.timeout_ms, t.max_cost_micro_usd, t.approval, t.allow_red, t.idempotency_key, t.source, moment + t.n * interval '1 microsecond', moment,
        moment + t.n * interval '1 microsecond' + t.priority * interval '5 minutes' - CASE WHEN t.priority = 0 THEN interval '100 years' ELSE interval '0' END,
        opened AND t.status = 'OPEN' AND coalesce(t.not_before <= now(), true)
      FROM ROWS FROM (jsonb_to_recordset(tasks) AS (id uuid, run_id uuid, repo_id uuid, host text, parent_id uuid, key text, title text, goal text, role text,
        scope text, complexity text, risk text, priority integer, files text[], context text[], signals jsonb, agent jsonb, model text, effort text,
        labels text[], status text, max_retries integer, max_attempts integer, not_before timestamptz, deadline_at timestamptz, timeout_ms integer,
        max_cost_micro_usd bigint, approval boolean, allow_red text[], idempotency_key text, source jsonb)) WITH ORDINALITY
        AS t(id, run_id, repo_id, host, parent_id, key, title, goal, role, scope, complexity, risk, priority, files, context, signals, agent, model, effort,
          labels, status, max_retries, max_attempts, not_before, deadline_at, timeout_ms, max_cost_micro_usd, approval, allow_red, idempotency_key, source, n)
      RETURNING id, run_id, status, created_at),
    put AS (
      INSERT INTO lifecycle_event (machine, version, entity_id, run_id, task_id, seq, to_state, event, kind, actor, reason, metadata, at, hash)
      SELECT c.machine, c.version, m.id, m.run_id, m.id, 0, c.to_state, c.event, c.kind, v_actor, v_reason, '{}', moment,
        baton_link('', ROW(c.machine, c.version, m.id, m.run_id, m.id, 0, 0, NULL::text, c.to_state, c.event, NULL::text, c.kind, v_actor, v_reason,
          NULL::text, NULL::text, NULL::text, '{}'::jsonb)::text, moment)
      FROM made m CROSS JOIN LATERAL (SELECT o.* FROM machine_cell o WHERE o.key = 'task||created||' || m.status || '|created' OFFSET 0) c
      ORDER BY m.created_at
      RETURNING id)
  INSERT INTO feed_queue (event_ids) SELECT array_agg(id) FROM put HAVING count(*) > 0 RETURNING cardinality(event_ids) INTO written;
  IF written IS DISTINCT FROM jsonb_array_length(tasks) THEN RAISE EXCEPTION 'a task cannot begin in this state' USING ERRCODE = 'BA001'; END IF;
  IF jsonb_array_length(edges) = 0 THEN RETURN json_build_object('at', (extract(epoch FROM moment) * 1000000)::bigint, 'opened', opened); END IF;
  INSERT INTO task_dependency (task_id, depends_on_id, satisfied)
    SELECT (e->>'task_id')::uuid, d.id, d.status = 'CLOSED' FROM jsonb_array_elements(edges) e JOIN task d ON d.id = (e->>'depends_on_id')::uuid;
  UPDATE task t SET pending_dependencies = n.pending
    FROM (SELECT task_id, count(*) AS pending FROM task_dependency WHERE NOT satisfied
           AND task_id IN (SELECT (e->>'task_id')::uuid FROM jsonb_array_elements(edges) e) GROUP BY task_id) n
   WHERE t.id = n.task_id;
  RETURN NULL;
END;
$$;

CREATE OR REPLACE FUNCTION baton_add() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  request jsonb := NEW.request;
BEGIN
  IF request ? 'command' THEN
    INSERT INTO command (id, actor, answer) VALUES (request#>>'{command,id}', request#>>'{command,actor}', request#>'{command,answer}') ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      SELECT json_build_object('repeated', o.answer) INTO NEW.answer FROM command o WHERE o.id = request#>>'{command,id}';
      RETURN NEW;
    END IF;
  END IF;
  NEW.answer := json_build_object('made', baton_add_tasks(request->'tasks', request->'edges', request->'by'),
    'runStatus', (SELECT status FROM run WHERE id = (request->>'run_id')::uuid));
  RETURN NEW;
END;
$$;
