-- State changes through three doors, each one statement and one transaction: baton_change (what the kernel decided),
-- baton_claim (the next ready work) and baton_creation (a run with its tasks). A door writes the events of a change as one set,
-- checked against machine_cell and against what they continue, and sets the status columns from those very events, so both
-- agree by construction. Outside of the doors (trigger depth 0) the triggers of 0002 look at every row as before.

-- A status is never set but by a door, or under the eyes of the triggers of 0002. Their conditions stand in the functions: a WHEN
-- clause is parsed anew by each statement. Events come many to a statement, so theirs stays a WHEN.
DROP TRIGGER lifecycle_event_check ON lifecycle_event;
CREATE TRIGGER lifecycle_event_check BEFORE INSERT ON lifecycle_event FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION baton_check_event();
CREATE OR REPLACE FUNCTION baton_check_task_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF pg_trigger_depth() > 1 THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' AND OLD.status IS NOT DISTINCT FROM NEW.status AND OLD.version = NEW.version THEN RETURN NULL; END IF;
  SELECT e.seq, e.to_state INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.id AND e.machine = 'task' ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  IF last IS NULL THEN RAISE EXCEPTION 'task % has no event', NEW.id USING ERRCODE = 'BA002'; END IF;
  IF last.to_state IS DISTINCT FROM NEW.status OR last.seq IS DISTINCT FROM NEW.version THEN
    RAISE EXCEPTION 'task %: column says % (%), newest event says % (%)', NEW.id, NEW.status, NEW.version, last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;
DROP TRIGGER task_status_insert ON task;
CREATE TRIGGER task_status_insert AFTER INSERT ON task FOR EACH ROW EXECUTE FUNCTION baton_check_task_status();
DROP TRIGGER task_status_update ON task;
CREATE TRIGGER task_status_update AFTER UPDATE OF status, version ON task FOR EACH ROW EXECUTE FUNCTION baton_check_task_status();
CREATE OR REPLACE FUNCTION baton_check_attempt_turn_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF pg_trigger_depth() > 1 THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' AND OLD.turn_status IS NOT DISTINCT FROM NEW.turn_status AND OLD.turn_seq = NEW.turn_seq THEN RETURN NULL; END IF;
  SELECT e.seq, e.to_state INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.id AND e.machine = 'turn' ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  IF last IS NULL AND NEW.turn_seq = 0 AND NEW.turn_status = 'IDLE' THEN RETURN NULL; END IF;
  IF last.to_state IS DISTINCT FROM NEW.turn_status OR last.seq IS DISTINCT FROM NEW.turn_seq THEN
    RAISE EXCEPTION 'turn %: column says % (%), newest event says % (%)', NEW.id, NEW.turn_status, NEW.turn_seq, last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;
DROP TRIGGER attempt_turn_status_insert ON attempt;
CREATE TRIGGER attempt_turn_status_insert AFTER INSERT ON attempt FOR EACH ROW EXECUTE FUNCTION baton_check_attempt_turn_status();
DROP TRIGGER attempt_turn_status_update ON attempt;
CREATE TRIGGER attempt_turn_status_update AFTER UPDATE OF turn_status, turn_seq ON attempt FOR EACH ROW EXECUTE FUNCTION baton_check_attempt_turn_status();
CREATE OR REPLACE FUNCTION baton_check_agent_session_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF pg_trigger_depth() > 1 THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' AND OLD.status IS NOT DISTINCT FROM NEW.status AND OLD.status_seq = NEW.status_seq THEN RETURN NULL; END IF;
  SELECT e.seq, e.to_state INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.id AND e.machine = 'agent' ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  IF last IS NULL AND NEW.status_seq = -1 AND NEW.status IS NULL THEN RETURN NULL; END IF;
  IF last.to_state IS DISTINCT FROM NEW.status OR last.seq IS DISTINCT FROM NEW.status_seq THEN
    RAISE EXCEPTION 'agent %: column says % (%), newest event says % (%)', NEW.id, NEW.status, NEW.status_seq, last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;
DROP TRIGGER agent_session_status_insert ON agent_session;
CREATE TRIGGER agent_session_status_insert AFTER INSERT ON agent_session FOR EACH ROW EXECUTE FUNCTION baton_check_agent_session_status();
DROP TRIGGER agent_session_status_update ON agent_session;
CREATE TRIGGER agent_session_status_update AFTER UPDATE OF status, status_seq ON agent_session FOR EACH ROW EXECUTE FUNCTION baton_check_agent_session_status();
CREATE OR REPLACE FUNCTION baton_check_agent_session_execution_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF pg_trigger_depth() > 1 THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' AND OLD.execution_state IS NOT DISTINCT FROM NEW.execution_state AND OLD.execution_seq = NEW.execution_seq THEN RETURN NULL; END IF;
  SELECT e.seq, e.to_state INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.id AND e.machine = 'execution' ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  IF last IS NULL AND NEW.execution_seq = 0 AND NEW.execution_state = 'pending' THEN RETURN NULL; END IF;
  IF last.to_state IS DISTINCT FROM NEW.execution_state OR last.seq IS DISTINCT FROM NEW.execution_seq THEN
    RAISE EXCEPTION 'execution %: column says % (%), newest event says % (%)', NEW.id, NEW.execution_state, NEW.execution_seq, last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;
DROP TRIGGER agent_session_execution_state_insert ON agent_session;
CREATE TRIGGER agent_session_execution_state_insert AFTER INSERT ON agent_session FOR EACH ROW EXECUTE FUNCTION baton_check_agent_session_execution_state();
DROP TRIGGER agent_session_execution_state_update ON agent_session;
CREATE TRIGGER agent_session_execution_state_update AFTER UPDATE OF execution_state, execution_seq ON agent_session FOR EACH ROW EXECUTE FUNCTION baton_check_agent_session_execution_state();
CREATE OR REPLACE FUNCTION baton_check_run_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF pg_trigger_depth() > 1 THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' AND OLD.status IS NOT DISTINCT FROM NEW.status AND OLD.seq = NEW.seq THEN RETURN NULL; END IF;
  SELECT e.seq, e.to_state INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.id AND e.machine = 'run' ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  IF last IS NULL THEN RAISE EXCEPTION 'run % has no event', NEW.id USING ERRCODE = 'BA002'; END IF;
  IF last.to_state IS DISTINCT FROM NEW.status OR last.seq IS DISTINCT FROM NEW.seq THEN
    RAISE EXCEPTION 'run %: column says % (%), newest event says % (%)', NEW.id, NEW.status, NEW.seq, last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;
DROP TRIGGER run_status_insert ON run;
CREATE TRIGGER run_status_insert AFTER INSERT ON run FOR EACH ROW EXECUTE FUNCTION baton_check_run_status();
DROP TRIGGER run_status_update ON run;
CREATE TRIGGER run_status_update AFTER UPDATE OF status, seq ON run FOR EACH ROW EXECUTE FUNCTION baton_check_run_status();

-- Rows of the hot path are made by the doors from rows they have just read: these keys cost a look-up and a lock on a shared row each.
ALTER TABLE attempt DROP CONSTRAINT attempt_task_id_fkey, DROP CONSTRAINT attempt_session_id_fkey;
ALTER TABLE agent_session DROP CONSTRAINT agent_session_run_id_fkey;
ALTER TABLE task DROP CONSTRAINT task_run_id_fkey, DROP CONSTRAINT task_repo_id_fkey;
ALTER TABLE slot DROP CONSTRAINT slot_run_id_fkey, DROP CONSTRAINT slot_session_id_fkey;
ALTER TABLE reservation DROP CONSTRAINT reservation_attempt_id_fkey, DROP CONSTRAINT reservation_run_id_fkey;
-- Room in the page, so that a change of state needs no new index entries.
ALTER TABLE attempt SET (fillfactor = 60);
ALTER TABLE agent_session SET (fillfactor = 60);
-- Each partial index costs every write of the table its predicate: one for all that upkeep looks for.
DROP INDEX task_asleep_idx, task_cancel_idx, task_paths_wanted_idx, task_done_idx, task_orphaned_idx, task_waiting_idx, task_idempotency_key;
CREATE INDEX task_upkeep_idx ON task (status, repo_id, run_id) WHERE status IN ('DONE', 'ORPHANED', 'WAITING_FOR_SUBTASKS', 'BLOCKED')
  OR (cancel_requested AND NOT settled) OR not_before IS NOT NULL OR paths_wanted_since IS NOT NULL;
CREATE UNIQUE INDEX task_idempotency_key ON task (run_id, idempotency_key);

-- One queue row a statement instead of one an event.
DROP TABLE feed_queue;
CREATE TABLE feed_queue (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_ids bigint[] NOT NULL, at timestamptz(6) NOT NULL DEFAULT clock_timestamp());
INSERT INTO feed_queue (event_ids) SELECT array_agg(e.id ORDER BY e.id) FROM lifecycle_event e
  WHERE NOT EXISTS (SELECT 1 FROM feed_position p WHERE p.event_id = e.id) HAVING count(*) > 0;

CREATE OR REPLACE FUNCTION baton_sequence() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  numbered integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('baton.sequencer')) THEN RETURN 0; END IF;
  WITH queued AS (DELETE FROM feed_queue RETURNING event_ids)
  INSERT INTO feed_position (position, event_id)
    SELECT coalesce((SELECT max(position) FROM feed_position), 0) + row_number() OVER (ORDER BY event_id), event_id
      FROM queued CROSS JOIN LATERAL unnest(event_ids) AS event_id;
  GET DIAGNOSTICS numbered = ROW_COUNT;
  RETURN numbered;
END;
$$;

-- The chain: each hash covers the one before it of the same entity and machine, the event as text, and its time.
CREATE FUNCTION baton_link(previous text, body text, at timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT encode(sha256(convert_to(coalesce(previous, '') || body, 'UTF8') || timestamptz_send(at)), 'hex');
$$;
-- plpgsql, since an aggregate cannot inline SQL, which would be planned anew for each event.
CREATE FUNCTION baton_chain_step(state text, previous text, body text, at timestamptz) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  RETURN encode(sha256(convert_to(coalesce(state, previous, '') || body, 'UTF8') || timestamptz_send(at)), 'hex');
END;
$$;
CREATE AGGREGATE baton_chain(text, text, timestamptz) (SFUNC = baton_chain_step, STYPE = text);
CREATE OR REPLACE FUNCTION baton_event_hash(previous text, e lifecycle_event) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT baton_link(previous, ROW(e.machine, e.version, e.entity_id, e.run_id, e.task_id, e.seq, e.note, e.from_state, e.to_state, e.event, e.alias,
    e.kind, e.actor, e.reason, e.transition_reason, e.abort_reason, e.trigger, e.metadata)::text, e.at);
$$;
-- Chains written before are linked anew.
ALTER TABLE lifecycle_event DISABLE TRIGGER lifecycle_event_keep;
DO $$
DECLARE
  e lifecycle_event;
  last lifecycle_event;
  link text;
BEGIN
  FOR e IN SELECT * FROM lifecycle_event ORDER BY machine, entity_id, seq, note LOOP
    link := baton_event_hash(CASE WHEN last.machine = e.machine AND last.entity_id = e.entity_id THEN last.hash ELSE '' END, e);
    UPDATE lifecycle_event SET hash = link WHERE id = e.id;
    last := e;
    last.hash := link;
  END LOOP;
END;
$$;
ALTER TABLE lifecycle_event ENABLE TRIGGER lifecycle_event_keep;

CREATE OR REPLACE FUNCTION baton_check_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
  was text;
BEGIN
  SELECT e.seq, e.note, e.to_state, e.hash INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.entity_id AND e.machine = NEW.machine ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  was := last.to_state;
  IF NEW.kind IN ('move', 'override') THEN
    IF NEW.note <> 0 OR NEW.seq <> coalesce(last.seq, 0) + 1 THEN
      RAISE EXCEPTION 'event % of % % does not follow event %', NEW.seq, NEW.machine, NEW.entity_id, last.seq USING ERRCODE = 'BA002';
    END IF;
    -- Without an earlier event the machine stands in its first state.
    IF was IS NULL AND baton_is_initial(NEW.machine || '|' || NEW.from_state) THEN was := NEW.from_state; END IF;
    IF NEW.from_state IS DISTINCT FROM was THEN
      RAISE EXCEPTION '% % stands in %, not in %', NEW.machine, NEW.entity_id, was, NEW.from_state USING ERRCODE = 'BA002';
    END IF;
    IF NOT EXISTS (SELECT 1 FROM machine_cell c
        WHERE c.key = concat_ws('|', NEW.machine, NEW.from_state, NEW.event, coalesce(NEW.alias, ''), NEW.to_state, NEW.kind)) THEN
      RAISE EXCEPTION '%: % --%--> % (%) is no move', NEW.machine, NEW.from_state, NEW.event, NEW.to_state, NEW.kind USING ERRCODE = 'BA001';
    END IF;
    IF NEW.machine = 'task' AND NEW.to_state = 'CLOSED' THEN PERFORM baton_must_have_landed(NEW.entity_id); END IF;
  ELSIF NEW.kind = 'created' THEN
    IF last IS NOT NULL OR NEW.seq <> 0 OR NEW.note <> 0 OR NEW.from_state IS NOT NULL
       OR NOT EXISTS (SELECT 1 FROM machine_cell c WHERE c.key = NEW.machine || '||created||' || NEW.to_state || '|created') THEN
      RAISE EXCEPTION '% % cannot begin in %', NEW.machine, NEW.entity_id, NEW.to_state USING ERRCODE = 'BA001';
    END IF;
  ELSIF NEW.kind IN ('refused', 'late_report') THEN
    IF last IS NULL OR NEW.seq <> last.seq OR NEW.note <> last.note + 1 OR NEW.from_state <> was OR NEW.to_state <> was THEN
      RAISE EXCEPTION 'a note on % % must stand where the machine stands', NEW.machine, NEW.entity_id USING ERRCODE = 'BA002';
    END IF;
  ELSE
    RAISE EXCEPTION 'unknown kind of event: %', NEW.kind USING ERRCODE = 'BA001';
  END IF;
  NEW.at := clock_timestamp();
  NEW.hash := baton_event_hash(coalesce(last.hash, ''), NEW);
  INSERT INTO feed_queue (event_ids) VALUES (ARRAY[NEW.id]);
  RETURN NEW;
END;
$$;

-- DONE→CLOSED needs a confirmed landing with a passed verdict.
CREATE FUNCTION baton_must_have_landed(v_task uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM landing l JOIN verdict v ON v.id = l.verdict_id
      WHERE l.task_id = v_task AND l.confirmed_at IS NOT NULL AND v.passed AND v.tree = l.tree) THEN
    RAISE EXCEPTION 'task %: no confirmed landing with a passed verdict', v_task USING ERRCODE = 'BA003';
  END IF;
END;
$$;

CREATE FUNCTION baton_no_chain(machine text, entity uuid, seq integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'event % of % % does not continue it', seq, machine, entity USING ERRCODE = 'BA002';
END;
$$;

-- Writes one set of events, in order: each must be a cell of its machine, continue its entity, and the last one of each entity
-- must be among `ends` (whose rows the caller sets from it). Arrays run side by side; `extras` holds what is rare.
CREATE FUNCTION baton_put_events(cells text[], entities uuid[], seqs integer[], runs uuid[], tasks uuid[], reasons text[], triggers text[],
  extras jsonb[], ends integer[], v_actor text, v_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written integer;
BEGIN
  IF pg_trigger_depth() = 0 THEN RAISE EXCEPTION 'events are written through the doors only' USING ERRCODE = 'BA001'; END IF;
  IF cardinality(array_remove(array_remove(ends, 0), NULL)) >= cardinality(cells) THEN
    -- The ordinary set: one event an entity.
    WITH put AS (
      INSERT INTO lifecycle_event (machine, version, entity_id, run_id, task_id, seq, from_state, to_state, event, alias, kind, actor, reason,
        transition_reason, abort_reason, trigger, metadata, at, hash)
      SELECT c.machine, c.version, g.entity_id, g.run_id, g.task_id, g.seq, c.from_state, c.to_state, c.event, c.alias, c.kind, v_actor, g.reason,
        g.extra->>'transition_reason', g.extra->>'abort_reason', g.trig, coalesce(g.extra->'metadata', '{}'), v_at,
        CASE WHEN g.n = ANY (ends) AND CASE WHEN c.kind = 'created' THEN p.last_seq IS NULL AND g.seq = 0
               WHEN p.last_seq IS NULL THEN g.seq = 1 AND baton_is_initial(c.machine || '|' || c.from_state)
               ELSE g.seq = p.last_seq + 1 AND p.last_state = c.from_state END
          THEN baton_link(p.last_hash, ROW(c.machine, c.version, g.entity_id, g.run_id, g.task_id, g.seq, 0, c.from_state, c.to_state, c.event, c.alias,
            c.kind, v_actor, g.reason, g.extra->>'transition_reason', g.extra->>'abort_reason', g.trig, coalesce(g.extra->'metadata', '{}'))::text, v_at)
          ELSE baton_no_chain(c.machine, g.entity_id, g.seq) END
      FROM unnest(cells, entities, seqs, runs, tasks, reasons, triggers, extras) WITH ORDINALITY
          AS g(cell, entity_id, seq, run_id, task_id, reason, trig, extra, n)
        CROSS JOIN LATERAL (SELECT m.* FROM machine_cell m WHERE m.key = g.cell OFFSET 0) c
        LEFT JOIN LATERAL (SELECT e.seq AS last_seq, e.to_state AS last_state, e.hash AS last_hash FROM lifecycle_event e
          WHERE e.entity_id = g.entity_id AND e.machine = c.machine ORDER BY e.seq DESC, e.note DESC LIMIT 1) p ON true
      RETURNING id)
    INSERT INTO feed_queue (event_ids) SELECT array_agg(id) FROM put HAVING count(*) > 0 RETURNING cardinality(event_ids) INTO written;
  ELSE
    WITH put AS (
      INSERT INTO lifecycle_event (machine, version, entity_id, run_id, task_id, seq, from_state, to_state, event, alias, kind, actor, reason,
        transition_reason, abort_reason, trigger, metadata, at, hash)
      SELECT machine, version, entity_id, run_id, task_id, seq, from_state, to_state, event, alias, kind, v_actor, reason, x_reason, x_abort, trig,
        metadata, v_at,
        CASE WHEN CASE WHEN lag(seq) OVER w IS NOT NULL THEN lag(seq) OVER w = seq - 1 AND lag(to_state) OVER w = from_state
                       WHEN kind = 'created' THEN last_seq IS NULL AND seq = 0
                       WHEN last_seq IS NULL THEN seq = 1 AND baton_is_initial(machine || '|' || from_state)
                       ELSE seq = last_seq + 1 AND last_state = from_state END
               AND (lead(seq) OVER w IS NOT NULL OR n = ANY (ends))
          THEN baton_chain(last_hash, ROW(machine, version, entity_id, run_id, task_id, seq, 0, from_state, to_state, event, alias, kind, v_actor, reason,
            x_reason, x_abort, trig, metadata)::text, v_at) OVER w
          ELSE baton_no_chain(machine, entity_id, seq) END
      FROM (SELECT g.n, g.entity_id, g.seq, g.run_id, g.task_id, g.reason, g.trig, g.extra->>'transition_reason' AS x_reason,
          g.extra->>'abort_reason' AS x_abort, coalesce(g.extra->'metadata', '{}') AS metadata,
          c.machine, c.version, c.from_state, c.to_state, c.event, c.alias, c.kind, p.last_seq, p.last_state, p.last_hash
        FROM unnest(cells, entities, seqs, runs, tasks, reasons, triggers, extras) WITH ORDINALITY
            AS g(cell, entity_id, seq, run_id, task_id, reason, trig, extra, n)
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

-- New tasks with their `created` events and edges. A dependency is locked FOR SHARE, so that its closing is not missed.
CREATE OR REPLACE FUNCTION baton_add_tasks(tasks jsonb, edges jsonb, by jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  base task;
  opened boolean;
  made integer := jsonb_array_length(tasks);
BEGIN
  IF made = 0 THEN RETURN; END IF;
  IF jsonb_array_length(edges) > 0 THEN
    PERFORM 1 FROM task d WHERE d.id IN (SELECT (e->>'depends_on_id')::uuid FROM jsonb_array_elements(edges) e) ORDER BY d.id FOR SHARE;
  END IF;
  opened := baton_run_open((tasks->0->>'run_id')::uuid);
  base.version := 0; base.fence := 0; base.tries := 0; base.granted_tries := 0; base.conflicts := 0; base.setbacks := 0;
  base.settled := false; base.cancel_requested := false; base.created_at := moment; base.updated_at := moment;
  base.claimable := false; base.pending_dependencies := 0; base.rank := moment;
  INSERT INTO task SELECT p.* FROM jsonb_array_elements(tasks) WITH ORDINALITY x(t, n)
    CROSS JOIN LATERAL jsonb_populate_record(base, x.t || jsonb_build_object(
      'created_at', moment + x.n * interval '1 microsecond',
      'rank', moment + x.n * interval '1 microsecond' + (x.t->>'priority')::int * interval '5 minutes'
              - CASE WHEN (x.t->>'priority')::int = 0 THEN interval '100 years' ELSE interval '0' END,
      'claimable', opened AND x.t->>'status' = 'OPEN' AND coalesce((x.t->>'not_before')::timestamptz <= now(), true))) p;
  PERFORM baton_put_events(array_agg('task||created||' || (t->>'status') || '|created' ORDER BY n), array_agg((t->>'id')::uuid ORDER BY n),
      array_fill(0, ARRAY[made]), array_fill((tasks->0->>'run_id')::uuid, ARRAY[made]), array_agg((t->>'id')::uuid ORDER BY n),
      array_fill(by->>'reason', ARRAY[made]), array_fill(NULL::text, ARRAY[made]), array_fill(NULL::jsonb, ARRAY[made]),
      array_agg(n::integer), by->>'actor', moment)
    FROM jsonb_array_elements(tasks) WITH ORDINALITY x(t, n);
  IF jsonb_array_length(edges) = 0 THEN RETURN; END IF;
  INSERT INTO task_dependency (task_id, depends_on_id, satisfied)
    SELECT (e->>'task_id')::uuid, d.id, d.status = 'CLOSED' FROM jsonb_array_elements(edges) e JOIN task d ON d.id = (e->>'depends_on_id')::uuid;
  UPDATE task t SET pending_dependencies = n.pending
    FROM (SELECT task_id, count(*) AS pending FROM task_dependency WHERE NOT satisfied
           AND task_id IN (SELECT (e->>'task_id')::uuid FROM jsonb_array_elements(edges) e) GROUP BY task_id) n
   WHERE t.id = n.task_id;
END;
$$;

-- The door for a run with its repo, budget and tasks. The answer names it, or the one that the same command made before.
CREATE VIEW baton_creation AS SELECT NULL::jsonb AS request, NULL::jsonb AS answer WHERE false;
CREATE FUNCTION baton_create() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  request jsonb := NEW.request;
  v_repo uuid;
  r run := jsonb_populate_record(NULL::run, request->'run');
BEGIN
  IF request ? 'command' THEN
    INSERT INTO command (id, actor, answer) VALUES (request#>>'{command,id}', request#>>'{command,actor}', jsonb_build_object('runId', r.id))
      ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      SELECT c.answer INTO NEW.answer FROM command c WHERE c.id = request#>>'{command,id}';
      RETURN NEW;
    END IF;
  END IF;
  v_repo := baton_have_repo(request->'repo');
  INSERT INTO run (id, slug, name, repo_id, status, target, base_commit, batch_size, max_agents, trust, review, gates, gates_hash, allow_red,
      workspace, agents, default_agent, routing, plan, standing, created_by)
    VALUES (r.id, r.slug, r.name, v_repo, r.status, r.target, r.base_commit, r.batch_size, r.max_agents, r.trust, r.review, r.gates, r.gates_hash,
      r.allow_red, r.workspace, r.agents, r.default_agent, r.routing, r.plan, r.standing, r.created_by);
  PERFORM baton_put_events(ARRAY['run||created||' || r.status || '|created'], ARRAY[r.id], ARRAY[0], ARRAY[r.id], ARRAY[NULL::uuid],
    ARRAY[request#>>'{by,reason}'], ARRAY[NULL::text], ARRAY[NULL::jsonb], ARRAY[1], request#>>'{by,actor}', clock_timestamp());
  INSERT INTO budget (run_id, cap_micro_usd) VALUES (r.id, (request->>'budget')::bigint);
  PERFORM baton_add_tasks((SELECT coalesce(jsonb_agg(t || jsonb_build_object('repo_id', v_repo) ORDER BY n), '[]')
    FROM jsonb_array_elements(request->'tasks') WITH ORDINALITY x(t, n)), request->'edges', request->'by');
  NEW.answer := jsonb_build_object('runId', r.id);
  RETURN NEW;
END;
$$;
CREATE TRIGGER baton_create INSTEAD OF INSERT ON baton_creation FOR EACH ROW EXECUTE FUNCTION baton_create();

-- The door for a delivery from outside.
CREATE VIEW baton_delivery AS SELECT NULL::jsonb AS request, NULL::jsonb AS answer WHERE false;
CREATE FUNCTION baton_deliver() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.answer := baton_accept_delivery(NEW.request);
  RETURN NEW;
END;
$$;
CREATE TRIGGER baton_deliver INSTEAD OF INSERT ON baton_delivery FOR EACH ROW EXECUTE FUNCTION baton_deliver();

-- The door for what the kernel decided. Each row names what it was decided on (version, seq, fence) and, in `*_at`, which of the
-- events its new state comes from (0: none). One miss and nothing happens: BA010 stale, BA011 fence, BA012 landing, BA013 approval.
CREATE VIEW baton_change AS SELECT
  NULL::text AS actor, NULL::text[] AS cells, NULL::uuid[] AS entities, NULL::integer[] AS seqs, NULL::uuid[] AS runs, NULL::uuid[] AS tasks,
  NULL::text[] AS reasons, NULL::text[] AS triggers, NULL::jsonb[] AS extras,
  NULL::uuid[] AS session_ids, NULL::integer[] AS session_status_seqs, NULL::integer[] AS session_execution_seqs, NULL::integer[] AS session_status_at,
  NULL::integer[] AS session_execution_at, NULL::jsonb[] AS session_patches,
  NULL::uuid[] AS task_ids, NULL::integer[] AS task_versions, NULL::bigint[] AS task_fences, NULL::integer[] AS task_at, NULL::jsonb[] AS task_patches,
  NULL::uuid[] AS attempt_ids, NULL::bigint[] AS attempt_fences, NULL::integer[] AS attempt_seqs, NULL::integer[] AS attempt_tools,
  NULL::integer[] AS attempt_at, NULL::jsonb[] AS attempt_patches,
  NULL::jsonb AS rest, NULL::jsonb AS answer
  WHERE false;

CREATE FUNCTION baton_texts(list jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ARRAY(SELECT jsonb_array_elements_text(list));
END;
$$;

CREATE FUNCTION baton_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rest jsonb := NEW.rest;
  moves text := array_to_string(NEW.cells, ' ');
  p jsonb;
  v_at integer;
  v_to integer;
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
  FOR i IN 1 .. cardinality(NEW.session_ids) LOOP
    p := NEW.session_patches[i];
    v_at := NEW.session_status_at[i];
    v_to := NEW.session_execution_at[i];
    IF (v_at > 0 AND NOT (NEW.entities[v_at] = NEW.session_ids[i] AND NEW.cells[v_at] LIKE 'agent|%'))
        OR (v_to > 0 AND NOT (NEW.entities[v_to] = NEW.session_ids[i] AND NEW.cells[v_to] LIKE 'execution|%')) THEN
      RAISE EXCEPTION 'a session must stand where its last event says' USING ERRCODE = 'BA002';
    END IF;
    UPDATE agent_session s SET
        status = CASE WHEN v_at = 0 THEN s.status ELSE split_part(NEW.cells[v_at], '|', 5) END,
        status_seq = CASE WHEN v_at = 0 THEN s.status_seq ELSE NEW.seqs[v_at] END,
        execution_state = CASE WHEN v_to = 0 THEN s.execution_state ELSE split_part(NEW.cells[v_to], '|', 5) END,
        execution_seq = CASE WHEN v_to = 0 THEN s.execution_seq ELSE NEW.seqs[v_to] END,
        adapter = CASE WHEN p ? 'adapter' THEN p->>'adapter' ELSE s.adapter END,
        model = CASE WHEN p ? 'model' THEN p->>'model' ELSE s.model END,
        pid = CASE WHEN p ? 'pid' THEN (p->>'pid')::integer ELSE s.pid END,
        pid_started = CASE WHEN p ? 'pid_started' THEN p->>'pid_started' ELSE s.pid_started END,
        activity = CASE WHEN p ? 'activity' THEN p->>'activity' ELSE s.activity END,
        current_attempt_id = CASE WHEN p ? 'current_attempt_id' THEN (p->>'current_attempt_id')::uuid ELSE s.current_attempt_id END,
        exit_code = CASE WHEN p ? 'exit_code' THEN (p->>'exit_code')::integer ELSE s.exit_code END,
        abort_reason = CASE WHEN p ? 'abort_reason' THEN p->>'abort_reason' ELSE s.abort_reason END,
        workspace = CASE WHEN p ? 'workspace' THEN p->>'workspace' ELSE s.workspace END,
        deadline_at = CASE WHEN p ? 'deadline_at' THEN (p->>'deadline_at')::timestamptz ELSE s.deadline_at END,
        last_sign_at = CASE WHEN p ? 'last_sign_at' THEN (p->>'last_sign_at')::timestamptz ELSE s.last_sign_at END,
        ended_at = CASE WHEN p ? 'ended_at' THEN (p->>'ended_at')::timestamptz ELSE s.ended_at END
      WHERE s.id = NEW.session_ids[i] AND s.status_seq = NEW.session_status_seqs[i] AND s.execution_seq = NEW.session_execution_seqs[i];
    IF NOT FOUND THEN RAISE EXCEPTION 'stale session' USING ERRCODE = 'BA010'; END IF;
    IF p->>'ended_at' IS NOT NULL THEN DELETE FROM slot o WHERE o.session_id = NEW.session_ids[i]; END IF;
  END LOOP;
  IF cardinality(NEW.task_ids) > 1 THEN
    PERFORM 1 FROM task t WHERE t.id = ANY (NEW.task_ids) ORDER BY t.id FOR NO KEY UPDATE;
  END IF;
  FOR i IN 1 .. cardinality(NEW.task_ids) LOOP
    p := NEW.task_patches[i];
    v_at := NEW.task_at[i];
    IF v_at > 0 AND NOT (NEW.entities[v_at] = NEW.task_ids[i] AND NEW.cells[v_at] LIKE 'task|%') THEN
      RAISE EXCEPTION 'a task must stand where its last event says' USING ERRCODE = 'BA002';
    END IF;
    UPDATE task t SET
        status = CASE WHEN v_at = 0 THEN t.status ELSE split_part(NEW.cells[v_at], '|', 5) END,
        version = CASE WHEN v_at = 0 THEN t.version ELSE NEW.seqs[v_at] END,
        fence = CASE WHEN p ? 'fence' THEN (p->>'fence')::bigint ELSE t.fence END,
        tries = CASE WHEN p ? 'tries' THEN (p->>'tries')::integer ELSE t.tries END,
        granted_tries = CASE WHEN p ? 'granted_tries' THEN (p->>'granted_tries')::integer ELSE t.granted_tries END,
        conflicts = CASE WHEN p ? 'conflicts' THEN (p->>'conflicts')::integer ELSE t.conflicts END,
        continue_from = CASE WHEN p ? 'continue_from' THEN nullif(p->'continue_from', 'null') ELSE t.continue_from END,
        setbacks = CASE WHEN p ? 'setbacks' THEN (p->>'setbacks')::integer ELSE t.setbacks END,
        settled = CASE WHEN p ? 'settled' THEN (p->>'settled')::boolean ELSE t.settled END,
        not_before = CASE WHEN p ? 'not_before' THEN (p->>'not_before')::timestamptz ELSE t.not_before END,
        blocked_on = CASE WHEN p ? 'blocked_on' THEN nullif(p->'blocked_on', 'null') ELSE t.blocked_on END,
        cancel_requested = CASE WHEN p ? 'cancel_requested' THEN (p->>'cancel_requested')::boolean ELSE t.cancel_requested END,
        updated_at = now(),
        claimable = CASE WHEN CASE WHEN v_at = 0 THEN t.status ELSE split_part(NEW.cells[v_at], '|', 5) END = 'OPEN'
          THEN coalesce(CASE WHEN p ? 'not_before' THEN (p->>'not_before')::timestamptz ELSE t.not_before END <= now(), true) AND baton_run_open(t.run_id)
          ELSE false END
      WHERE t.id = NEW.task_ids[i] AND t.version = NEW.task_versions[i] AND (NEW.task_fences[i] IS NULL OR t.fence = NEW.task_fences[i]);
    IF NOT FOUND THEN RAISE EXCEPTION 'stale task' USING ERRCODE = 'BA010'; END IF;
  END LOOP;
  FOR i IN 1 .. cardinality(NEW.attempt_ids) LOOP
    p := NEW.attempt_patches[i];
    v_at := NEW.attempt_at[i];
    IF v_at > 0 AND NOT (NEW.entities[v_at] = NEW.attempt_ids[i] AND NEW.cells[v_at] LIKE 'turn|%') THEN
      RAISE EXCEPTION 'a turn must stand where its last event says' USING ERRCODE = 'BA002';
    END IF;
    UPDATE attempt a SET
        turn_status = CASE WHEN v_at = 0 THEN a.turn_status ELSE split_part(NEW.cells[v_at], '|', 5) END,
        turn_seq = CASE WHEN v_at = 0 THEN a.turn_seq ELSE NEW.seqs[v_at] END,
        counted = CASE WHEN p ? 'counted' THEN (p->>'counted')::boolean ELSE a.counted END,
        fence = CASE WHEN p ? 'fence' THEN (p->>'fence')::bigint ELSE a.fence END,
        worker_id = CASE WHEN p ? 'worker_id' THEN p->>'worker_id' ELSE a.worker_id END,
        lease_expires_at = CASE WHEN p ? 'lease_expires_at' THEN (p->>'lease_expires_at')::timestamptz ELSE a.lease_expires_at END,
        open_tools = CASE WHEN p ? 'open_tools' THEN (p->>'open_tools')::integer ELSE a.open_tools END,
        base_commit = CASE WHEN p ? 'base_commit' THEN p->>'base_commit' ELSE a.base_commit END,
        start_commit = CASE WHEN p ? 'start_commit' THEN p->>'start_commit' ELSE a.start_commit END,
        head_commit = CASE WHEN p ? 'head_commit' THEN p->>'head_commit' ELSE a.head_commit END,
        summary = CASE WHEN p ? 'summary' THEN p->>'summary' ELSE a.summary END,
        outcome = CASE WHEN p ? 'outcome' THEN p->>'outcome' ELSE a.outcome END,
        abort_reason = CASE WHEN p ? 'abort_reason' THEN p->>'abort_reason' ELSE a.abort_reason END,
        rejections = CASE WHEN p ? 'rejections' THEN baton_texts(p->'rejections') ELSE a.rejections END,
        salvage_ref = CASE WHEN p ? 'salvage_ref' THEN p->>'salvage_ref' ELSE a.salvage_ref END,
        orphaned_at = CASE WHEN p ? 'orphaned_at' THEN (p->>'orphaned_at')::timestamptz ELSE a.orphaned_at END,
        orphan_counts = CASE WHEN p ? 'orphan_counts' THEN (p->>'orphan_counts')::boolean ELSE a.orphan_counts END,
        done_at = CASE WHEN p ? 'done_at' THEN (p->>'done_at')::timestamptz ELSE a.done_at END,
        route = CASE WHEN p ? 'route' THEN nullif(p->'route', 'null') ELSE a.route END,
        ended_at = CASE WHEN p ? 'ended_at' THEN (p->>'ended_at')::timestamptz ELSE a.ended_at END
      WHERE a.id = NEW.attempt_ids[i] AND a.fence = NEW.attempt_fences[i] AND a.turn_seq = NEW.attempt_seqs[i]
        -- Not IS NULL: over an empty table the index of open attempts would look as good as the key.
        AND coalesce(a.ended_at, 'infinity') = 'infinity'
        AND (NEW.attempt_tools[i] IS NULL OR a.open_tools = NEW.attempt_tools[i])
        AND NOT (p ? 'if_lapsed' AND a.lease_expires_at > clock_timestamp())
      RETURNING a.session_id INTO v_id;
    IF NOT FOUND THEN
      IF EXISTS (SELECT 1 FROM attempt a WHERE a.id = NEW.attempt_ids[i] AND a.fence = NEW.attempt_fences[i]) THEN
        RAISE EXCEPTION 'stale attempt' USING ERRCODE = 'BA010';
      END IF;
      RAISE EXCEPTION 'another holder' USING ERRCODE = 'BA011';
    END IF;
    IF v_id IS NOT NULL THEN sessions := sessions || v_id; END IF;
    IF p ? 'free' THEN freed := freed || NEW.attempt_ids[i]; END IF;
  END LOOP;
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
      NEW.session_status_at || NEW.session_execution_at || NEW.task_at || NEW.attempt_at || (rest#>>'{run,at}')::integer, NEW.actor, clock_timestamp());
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

-- Reserves a task's cost of its run's budget, the default of its scope at most as far as there is room; false: no room, or 95 % are spent.
CREATE OR REPLACE FUNCTION baton_reserve(t task, attempt uuid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_wanted bigint;
BEGIN
  UPDATE budget b SET reserved_micro_usd = b.reserved_micro_usd + m.wanted
    FROM (SELECT o.run_id, o.room, coalesce(t.max_cost_micro_usd, least(baton_default_cost(t.scope), o.room)) AS wanted
      FROM (SELECT i.run_id, i.cap_micro_usd - i.spent_micro_usd - i.reserved_micro_usd AS room FROM budget i
        WHERE i.run_id = t.run_id AND i.spent_micro_usd * 100 < i.cap_micro_usd * 95 FOR NO KEY UPDATE) o) m
    WHERE b.run_id = m.run_id AND m.room > 0 AND m.wanted <= m.room RETURNING m.wanted INTO v_wanted;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO reservation (attempt_id, run_id, amount_micro_usd, left_micro_usd) VALUES (attempt, t.run_id, v_wanted, v_wanted);
  RETURN true;
END;
$$;

-- Frees what attempts may still spend; what had no room before is claimable again.
ALTER TABLE budget ADD COLUMN starved boolean NOT NULL DEFAULT false;
CREATE FUNCTION baton_free_reservations(attempts uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_run uuid;
  was_starved boolean;
BEGIN
  FOR v_run, was_starved IN
    WITH freed AS (DELETE FROM reservation r WHERE r.attempt_id = ANY (attempts) RETURNING r.run_id, r.left_micro_usd),
      sums AS (SELECT run_id, sum(left_micro_usd) AS amount FROM freed GROUP BY run_id)
    UPDATE budget b SET reserved_micro_usd = b.reserved_micro_usd - f.amount FROM sums f WHERE b.run_id = f.run_id RETURNING b.run_id, b.starved
  LOOP
    IF was_starved THEN PERFORM baton_feed(v_run); END IF;
  END LOOP;
END;
$$;
CREATE FUNCTION baton_feed(v_run uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE budget SET starved = false WHERE run_id = v_run;
  PERFORM baton_refresh_claimable(v_run);
END;
$$;

-- Runs whose tasks had no room and now have, e.g. since the cap was raised. Gives how many.
CREATE FUNCTION baton_feed_due() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  fed integer := 0;
  v_run uuid;
BEGIN
  FOR v_run IN SELECT b.run_id FROM budget b WHERE b.starved AND EXISTS (SELECT 1 FROM task t WHERE t.run_id = b.run_id AND t.status = 'OPEN'
      AND NOT t.claimable AND coalesce(t.not_before <= now(), true)
      AND coalesce(t.max_cost_micro_usd, 1) <= b.cap_micro_usd - b.spent_micro_usd - b.reserved_micro_usd) LOOP
    PERFORM baton_feed(v_run);
    fed := fed + 1;
  END LOOP;
  RETURN fed;
END;
$$;
DROP FUNCTION baton_apply(jsonb);
DROP FUNCTION baton_create_run(jsonb);

-- Are these paths owned by a batch, or wanted for ten minutes by a task before it?
CREATE FUNCTION baton_paths_free(v_repo uuid, v_files text[], v_rank timestamptz) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF v_files = '{}' THEN RETURN true; END IF;
  RETURN (SELECT NOT EXISTS (SELECT 1 FROM unnest(baton_path_ranges(v_repo, v_files)) r JOIN path_lock p ON p.range && r)
    AND NOT EXISTS (SELECT 1 FROM task w WHERE w.paths_wanted_since < now() - interval '10 minutes' AND w.status = 'OPEN' AND w.claimable
         AND w.pending_dependencies = 0 AND w.rank < v_rank AND w.repo_id = v_repo
         AND baton_path_ranges(w.repo_id, w.files) && baton_path_ranges(v_repo, v_files)));
END;
$$;

-- The door for claims (store.md §2): takes `chosen` (locked by the caller, the head first), or the next ready head of what the
-- worker can do. All or nothing: a batch that cannot go whole is an error and rolls back, a head alone is answered with what stood in its way.
CREATE VIEW baton_claim AS SELECT
  NULL::text AS worker, NULL::text AS host, NULL::text[] AS labels, NULL::text[] AS roles, NULL::uuid AS run_id, NULL::uuid AS task_id,
  NULL::integer AS lease_ms, NULL::uuid AS session_id, NULL::uuid[] AS attempt_ids, NULL::uuid[] AS skip_tasks, NULL::uuid[] AS skip_runs,
  NULL::uuid[] AS chosen, NULL::text[] AS known_runs, NULL::json AS answer
  WHERE false;

CREATE FUNCTION baton_claim() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  expires timestamptz := moment + NEW.lease_ms * interval '1 millisecond';
  v_actor text := 'worker:' || NEW.worker;
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
  cells text[] := '{}'; entities uuid[] := '{}'; seqs integer[] := '{}'; tasks uuid[] := '{}'; extras jsonb[] := '{}';
BEGIN
  -- Three forms of one query, so that each has the index in its own order.
  IF NEW.chosen IS NOT NULL THEN
    SELECT * INTO t FROM task WHERE id = NEW.chosen[1];
  ELSIF NEW.task_id IS NOT NULL THEN
    SELECT o.* INTO t FROM task o
      WHERE o.id = NEW.task_id AND o.status = 'OPEN' AND o.pending_dependencies = 0 AND o.claimable AND NOT o.cancel_requested
        AND o.id <> ALL (NEW.skip_tasks) AND o.run_id <> ALL (NEW.skip_runs)
        AND (o.host IS NULL OR o.host = NEW.host) AND o.labels <@ NEW.labels AND (NEW.roles IS NULL OR o.role = ANY (NEW.roles))
      FOR NO KEY UPDATE OF o SKIP LOCKED;
  ELSIF NEW.run_id IS NOT NULL THEN
    SELECT o.* INTO t FROM task o
      WHERE o.run_id = NEW.run_id AND o.status = 'OPEN' AND o.pending_dependencies = 0 AND o.claimable AND NOT o.cancel_requested
        AND (o.host IS NULL OR o.host = NEW.host) AND o.labels <@ NEW.labels AND (NEW.roles IS NULL OR o.role = ANY (NEW.roles))
        AND o.id <> ALL (NEW.skip_tasks) AND o.run_id <> ALL (NEW.skip_runs) AND (o.files = '{}' OR baton_paths_free(o.repo_id, o.files, o.rank))
      ORDER BY o.rank, o.id LIMIT 1 FOR NO KEY UPDATE OF o SKIP LOCKED;
  ELSE
    SELECT o.* INTO t FROM task o
      WHERE o.status = 'OPEN' AND o.pending_dependencies = 0 AND o.claimable AND NOT o.cancel_requested
        AND (o.host IS NULL OR o.host = NEW.host) AND o.labels <@ NEW.labels AND (NEW.roles IS NULL OR o.role = ANY (NEW.roles))
        AND o.id <> ALL (NEW.skip_tasks) AND o.run_id <> ALL (NEW.skip_runs) AND (o.files = '{}' OR baton_paths_free(o.repo_id, o.files, o.rank))
      ORDER BY o.rank, o.id LIMIT 1 FOR NO KEY UPDATE OF o SKIP LOCKED;
  END IF;
  IF t.id IS NULL THEN
    NEW.answer := '{"ok":false,"why":"none"}';
    RETURN NEW;
  END IF;
  v_run_id := t.run_id;
  SELECT r.xmin::text AS mark, r.max_agents, b.cap_micro_usd, b.spent_micro_usd, b.reserved_micro_usd INTO v_run
    FROM run r JOIN budget b ON b.run_id = r.id WHERE r.id = v_run_id;

  IF v_run.max_agents IS NOT NULL THEN
    FOR i IN 1..3 LOOP
      INSERT INTO slot (run_id, number, session_id)
        SELECT t.run_id, n, NEW.session_id FROM generate_series(1, v_run.max_agents) n
         WHERE NOT EXISTS (SELECT 1 FROM slot o WHERE o.run_id = t.run_id AND o.number = n) ORDER BY n LIMIT 1
        ON CONFLICT DO NOTHING;
      -- The loop itself sets FOUND, so what the insert did is kept apart.
      has_slot := FOUND;
      EXIT WHEN has_slot;
    END LOOP;
    IF NOT has_slot THEN
      NEW.answer := json_build_object('ok', false, 'why', 'slot', 'head', json_build_object('id', t.id, 'run_id', t.run_id));
      RETURN NEW;
    END IF;
  END IF;

  FOREACH v_id IN ARRAY coalesce(NEW.chosen, ARRAY[t.id]) LOOP
    IF place > 0 THEN
      -- Mates were only read: each is locked and looked at again, and left out when it is gone.
      SELECT m.* INTO t FROM task m WHERE m.id = v_id AND m.status = 'OPEN' AND m.claimable AND NOT m.cancel_requested
        AND m.pending_dependencies = (SELECT count(*) FROM task_dependency d WHERE d.task_id = m.id AND NOT d.satisfied AND d.depends_on_id = ANY (taken))
        FOR NO KEY UPDATE SKIP LOCKED;
      CONTINUE WHEN NOT FOUND;
    END IF;
    place := place + 1;
    v_attempt := NEW.attempt_ids[place];
    IF v_run.cap_micro_usd IS NOT NULL AND NOT baton_reserve(t, v_attempt) THEN
      IF place > 1 OR cardinality(NEW.chosen) > 1 THEN
        RAISE EXCEPTION 'no room in the budget' USING ERRCODE = 'BA014', DETAIL = CASE WHEN place = 1 THEN 'head' ELSE 'mate' END;
      END IF;
      IF has_slot THEN DELETE FROM slot WHERE session_id = NEW.session_id; END IF;
      -- What has no room leaves the queue until money is freed, so that it never stands before others.
      UPDATE budget SET starved = true WHERE run_id = v_run_id
        RETURNING cap_micro_usd - spent_micro_usd - reserved_micro_usd INTO v_room;
      UPDATE task o SET claimable = false WHERE o.id = t.id OR o.id IN (SELECT w.id FROM task w WHERE w.run_id = v_run_id AND w.status = 'OPEN'
        AND w.pending_dependencies = 0 AND w.claimable AND (v_room <= 0 OR w.max_cost_micro_usd > v_room) FOR NO KEY UPDATE SKIP LOCKED);
      NEW.answer := json_build_object('ok', false, 'why', 'budget', 'head', json_build_object('id', t.id, 'run_id', t.run_id));
      RETURN NEW;
    END IF;
    WITH held AS (
      UPDATE task SET status = 'CLAIMED', version = version + 1, fence = fence + 1, claimable = false, paths_wanted_since = NULL, updated_at = moment
        WHERE id = t.id)
    INSERT INTO attempt (id, task_id, run_id, session_id, number, place, fence, worker_id, lease_expires_at, turn_status, turn_seq, created_at)
      VALUES (v_attempt, t.id, t.run_id, NEW.session_id, (SELECT coalesce(max(o.number), 0) + 1 FROM attempt o WHERE o.task_id = t.id), place,
        t.fence + 1, NEW.worker, expires, 'CLAIMING', 1, moment)
      RETURNING number INTO v_number;
    t.status := 'CLAIMED'; t.version := t.version + 1; t.fence := t.fence + 1; t.claimable := false; t.updated_at := moment;
    cells := cells || ARRAY['task|OPEN|claim||CLAIMED|move', 'turn|IDLE|task_claimed||CLAIMING|move'];
    entities := entities || t.id || v_attempt;
    seqs := seqs || t.version || 1;
    tasks := tasks || t.id || t.id;
    extras := extras || jsonb_build_object('metadata', jsonb_build_object('attemptId', v_attempt, 'number', v_number, 'fence', t.fence,
      'sessionId', NEW.session_id)) || NULL::jsonb;
    taken := taken || t.id;
    IF t.files <> '{}' THEN ranges := ranges + baton_path_ranges(t.repo_id, t.files); END IF;
    items := items || json_build_object('task', t, 'number', v_number, 'fence', t.fence,
      'earlier', CASE WHEN v_number > 1 THEN baton_earlier(t.id, v_number) END, 'predecessors', baton_predecessors(t.id));
  END LOOP;
  INSERT INTO agent_session (id, run_id, worker_id, host, created_at) VALUES (NEW.session_id, v_run_id, NEW.worker, NEW.host, moment);
  IF ranges <> '{}' THEN INSERT INTO path_lock (session_id, range) SELECT NEW.session_id, x FROM unnest(ranges) x; END IF;
  PERFORM baton_put_events(cells, entities, seqs, array_fill(v_run_id, ARRAY[cardinality(cells)]), tasks, array_fill('claimed'::text, ARRAY[cardinality(cells)]),
    array_fill(NULL::text, ARRAY[cardinality(cells)]), extras, (ARRAY[1, 2, 3, 4, 5, 6])[1:cardinality(cells)], v_actor, moment);
  NEW.answer := json_build_object('ok', true, 'now', moment, 'expires', expires, 'tasks', array_to_json(items),
    'run', CASE WHEN v_run_id || ':' || v_run.mark = ANY (NEW.known_runs) THEN NULL
      ELSE (SELECT json_build_object('mark', v_run.mark, 'run', to_jsonb(r) || baton_run_money(r.id), 'repo', p) FROM run r JOIN repo p ON p.id = r.repo_id WHERE r.id = v_run_id) END,
    'money', CASE WHEN v_run.cap_micro_usd IS NOT NULL THEN baton_run_money(v_run_id) END);
  RETURN NEW;
END;
$$;
CREATE TRIGGER baton_claim INSTEAD OF INSERT ON baton_claim FOR EACH ROW EXECUTE FUNCTION baton_claim();

-- What earlier tries of a task left: the reasons for their "no", and the newest salvage.
CREATE FUNCTION baton_earlier(v_task uuid, before integer) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT json_build_object('rejections', (SELECT coalesce(json_agg(x ORDER BY o.number), '[]') FROM attempt o, unnest(o.rejections) x WHERE o.task_id = v_task),
    'salvageRef', (SELECT o.salvage_ref FROM attempt o WHERE o.task_id = v_task AND o.number < before AND o.salvage_ref IS NOT NULL ORDER BY o.number DESC LIMIT 1)));
END;
$$;

-- The tasks that a task waited for, with what they say they did; null when there are none. OFFSET 0 keeps the order of the joins,
-- which a plan made over empty tables would turn round.
CREATE FUNCTION baton_predecessors(v_task uuid) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM task_dependency e WHERE e.task_id = v_task) THEN RETURN NULL; END IF;
  RETURN (SELECT json_agg(json_build_object('key', d.key, 'title', d.title,
      'summary', (SELECT o.summary FROM attempt o WHERE o.task_id = d.id ORDER BY o.number DESC LIMIT 1),
      'landedCommit', (SELECT l.candidate_commit FROM landing l WHERE l.task_id = d.id AND l.confirmed_at IS NOT NULL)) ORDER BY d.created_at)
    FROM (SELECT e.depends_on_id FROM task_dependency e WHERE e.task_id = v_task OFFSET 0) e
    CROSS JOIN LATERAL (SELECT t.id, t.key, t.title, t.created_at FROM task t WHERE t.id = e.depends_on_id OFFSET 0) d);
END;
$$;

-- Head and what could go with it, for batches; the caller claims what it chose in the same transaction.
DROP FUNCTION baton_claim_next(jsonb);
DROP FUNCTION baton_claim_tasks(jsonb, uuid[]);
DROP FUNCTION baton_claim_details(uuid);

-- Plans are made once per connection, often while the tables are still empty: they must suit full ones.
ALTER FUNCTION baton_change() SET enable_seqscan = off SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION baton_claim() SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET plan_cache_mode = force_generic_plan;
