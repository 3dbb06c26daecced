-- The record: each change names a step of the dictionary and continues what it moves. The log (13-log.sql) chains
-- changes. Rules: docs/spec/store.md#record.

-- The events of a change, one for each of its moves, in order. `n`: its place in its change.
CREATE FUNCTION baton_events(c change) RETURNS TABLE (id bigint, n integer, machine text, version integer,
  entity_id uuid, run_id uuid, task_id uuid, seq integer, note integer, from_state text, to_state text, event text,
  alias text, kind text, actor text, reason text, transition_reason text, abort_reason text, trigger text,
  metadata jsonb, at timestamptz) LANGUAGE sql STABLE AS $$
  SELECT c.id, (m.n + x.k - 1)::integer, m.machine, m.version,
      CASE m.machine WHEN 'task' THEN x.task_id WHEN 'turn' THEN c.attempt_id WHEN 'run' THEN c.run_id
        ELSE c.session_id END,
      c.run_id, CASE WHEN m.machine IN ('task', 'turn') THEN x.task_id END,
      CASE m.machine WHEN 'task' THEN c.task_seq WHEN 'turn' THEN c.turn_seq WHEN 'agent' THEN c.agent_seq
        WHEN 'execution' THEN c.execution_seq ELSE c.run_seq END - m.back,
      coalesce(c.note, 0), coalesce(m.from_state, c.extra->>'state'), coalesce(m.to_state, c.extra->>'state'),
      coalesce(m.event, c.extra->>'event'), m.alias, m.kind, c.actor, c.reason,
      CASE WHEN m.kind <> 'created' THEN coalesce(m.transition_reason, c.transition_reason) END,
      CASE WHEN m.kind <> 'created' THEN c.abort_reason END,
      coalesce(m.trigger, c.extra->>'trigger'),
      CASE WHEN NOT m.carries THEN '{}' WHEN c.number IS NOT NULL THEN jsonb_build_object('attemptId', c.attempt_id,
        'number', c.number, 'fence', c.fence, 'sessionId', c.session_id)
        ELSE coalesce(c.extra->'metadata', '{}') END,
      c.at
    FROM step_move m CROSS JOIN LATERAL unnest(coalesce(c.tasks, ARRAY[c.task_id])) WITH ORDINALITY AS x(task_id, k)
    WHERE m.step = c.step;
$$;

-- What consumers see.
CREATE VIEW lifecycle_event AS SELECT e.* FROM change c CROSS JOIN LATERAL baton_events(c) e;

-- How many events a change has.
CREATE FUNCTION baton_size(c change) RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(cardinality(c.tasks), s.size) FROM step s WHERE s.id = c.step;
$$;

-- The changes that moved an entity, whichever machine it is of.
CREATE FUNCTION baton_changes_of(v_entity uuid) RETURNS SETOF bigint LANGUAGE plpgsql STABLE ROWS 10 AS $$
BEGIN
  RETURN QUERY
    SELECT c.id FROM change c WHERE c.task_id = v_entity
    UNION SELECT c.id FROM task t JOIN change c ON c.run_id = t.run_id AND c.task_id IS NULL AND t.id = ANY (c.tasks)
      WHERE t.id = v_entity
    UNION SELECT c.id FROM attempt a JOIN change c ON c.task_id = a.task_id AND c.attempt_id = a.id
      WHERE a.id = v_entity
    UNION SELECT c.id FROM attempt a JOIN change c ON c.task_id = a.task_id AND c.session_id = v_entity
      WHERE a.session_id = v_entity
    UNION SELECT c.id FROM agent_session s JOIN change c ON c.run_id = s.run_id AND c.task_id IS NULL
      AND c.session_id = s.id WHERE s.id = v_entity
    UNION SELECT c.id FROM change c WHERE c.run_id = v_entity AND c.task_id IS NULL AND c.run_seq IS NOT NULL;
END;
$$;

-- Where the record says that a machine stands; nothing: it has not begun.
CREATE FUNCTION baton_newest(v_machine text, v_entity uuid) RETURNS TABLE (seq integer, note integer, state text)
  LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT e.seq, e.note, e.to_state FROM lifecycle_event e
    WHERE e.id IN (SELECT baton_changes_of(v_entity)) AND e.entity_id = v_entity AND e.machine = v_machine
    ORDER BY e.seq DESC, e.note DESC LIMIT 1;
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

-- A machine that a step moves stands where the step begins; one that it does not move has no number.
CREATE FUNCTION baton_must_follow(v_machine text, v_entity uuid, v_seq integer, moves integer, v_from text)
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF moves = 0 THEN
    IF v_seq IS NOT NULL THEN
      RAISE EXCEPTION 'a step that moves no % gives it no number', v_machine USING ERRCODE = 'BA002';
    END IF;
    RETURN;
  END IF;
  SELECT * INTO last FROM baton_newest(v_machine, v_entity);
  IF NOT FOUND THEN
    -- Without an earlier event a machine is created, or stands in its first state.
    IF v_from IS NULL AND v_seq = moves - 1 OR v_seq = moves AND baton_is_initial(v_machine || '|' || v_from) THEN
      RETURN;
    END IF;
  ELSIF v_seq = last.seq + moves AND v_from = last.state THEN
    RETURN;
  END IF;
  RAISE EXCEPTION '% % stands in % (%), and does not go on from % to %', v_machine, v_entity, last.state, last.seq,
    v_from, v_seq USING ERRCODE = 'BA002';
END;
$$;

-- A change that is written by hand must be a step and continue all that it moves. Those of baton_change are checked
-- there, as a set.
CREATE FUNCTION baton_check_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  s step;
  last record;
BEGIN
  SELECT * INTO s FROM step o WHERE o.id = NEW.step AND NOT o.past;
  IF NOT FOUND OR NEW.tasks IS NOT NULL THEN RAISE EXCEPTION 'no such step' USING ERRCODE = 'BA001'; END IF;
  IF s.key LIKE 'task|||||%' THEN
    SELECT * INTO last FROM baton_newest('task', NEW.task_id);
    IF NOT FOUND OR NEW.task_seq IS DISTINCT FROM last.seq OR NEW.note IS DISTINCT FROM last.note + 1
      OR NEW.extra->>'state' IS DISTINCT FROM last.state OR NEW.extra->>'event' IS NULL THEN
      RAISE EXCEPTION 'a note on task % must stand where it stands', NEW.task_id USING ERRCODE = 'BA002';
    END IF;
  ELSE
    IF NEW.note IS NOT NULL THEN RAISE EXCEPTION 'a move is no note' USING ERRCODE = 'BA002'; END IF;
    PERFORM baton_must_follow('task', NEW.task_id, NEW.task_seq, s.task_moves, s.task_from);
    PERFORM baton_must_follow('turn', NEW.attempt_id, NEW.turn_seq, s.turn_moves, s.turn_from);
    PERFORM baton_must_follow('agent', NEW.session_id, NEW.agent_seq, s.agent_moves, s.agent_from);
    PERFORM baton_must_follow('execution', NEW.session_id, NEW.execution_seq, s.execution_moves, s.execution_from);
    PERFORM baton_must_follow('run', NEW.run_id, NEW.run_seq, s.run_moves, s.run_from);
    IF s.task_to = 'CLOSED' THEN PERFORM baton_must_have_landed(NEW.task_id); END IF;
  END IF;
  NEW.at := clock_timestamp();
  RETURN NEW;
END;
$$;

CREATE TRIGGER change_check BEFORE INSERT ON change FOR EACH ROW
  WHEN (current_setting('baton.checked', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION baton_check_change();

-- A transaction has its number before its changes have theirs: by that the log knows when a missing id cannot come.
CREATE FUNCTION baton_number_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_current_xact_id();
  RETURN NULL;
END;
$$;

CREATE TRIGGER change_transaction BEFORE INSERT ON change FOR EACH STATEMENT
  EXECUTE FUNCTION baton_number_transaction();

-- Changes are append-only, but for those that were archived.
CREATE FUNCTION baton_keep_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM archived_change a WHERE a.ids @> OLD.id) THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'changes are append-only' USING ERRCODE = 'BA004';
END;
$$;

CREATE TRIGGER change_keep BEFORE UPDATE OR DELETE ON change FOR EACH ROW EXECUTE FUNCTION baton_keep_change();

-- The history and what is said of the archive are never emptied.
CREATE FUNCTION baton_keep_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the record is append-only' USING ERRCODE = 'BA004';
END;
$$;

CREATE TRIGGER change_keep_all BEFORE TRUNCATE ON change FOR EACH STATEMENT EXECUTE FUNCTION baton_keep_events();

CREATE TRIGGER archived_entity_keep_all BEFORE TRUNCATE ON archived_entity FOR EACH STATEMENT
  EXECUTE FUNCTION baton_keep_events();

CREATE TRIGGER archived_change_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON archived_change FOR EACH STATEMENT
  EXECUTE FUNCTION baton_keep_events();

-- Do the changes of one statement that move the same entity follow one another? Most statements move each entity once.
-- A sort for each machine: one over all of them, by the machine's name too, takes almost three times as long.
CREATE FUNCTION baton_is_chained(steps smallint[], tasks uuid[], attempts uuid[], sessions uuid[], task_seqs integer[],
  turn_seqs integer[], agent_seqs integer[], execution_seqs integer[]) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
  WITH c AS MATERIALIZED (SELECT g.*, s.task_from, s.task_to, s.task_moves, s.turn_from, s.turn_to, s.turn_moves,
      s.agent_from, s.agent_to, s.agent_moves, s.execution_from, s.execution_to, s.execution_moves
    FROM unnest(steps, tasks, attempts, sessions, task_seqs, turn_seqs, agent_seqs, execution_seqs) WITH ORDINALITY
      AS g(step, task, attempt, session, task_seq, turn_seq, agent_seq, execution_seq, n) JOIN step s ON s.id = g.step)
  SELECT coalesce(bool_and(o.follows), true) FROM (
    SELECT task_seq - task_moves = lag(task_seq) OVER w AND task_from = lag(task_to) OVER w AS follows
      FROM c WHERE task_moves > 0 WINDOW w AS (PARTITION BY task ORDER BY n)
    UNION ALL SELECT turn_seq - turn_moves = lag(turn_seq) OVER w AND turn_from = lag(turn_to) OVER w
      FROM c WHERE turn_moves > 0 WINDOW w AS (PARTITION BY attempt ORDER BY n)
    UNION ALL SELECT agent_seq - agent_moves = lag(agent_seq) OVER w AND agent_from = lag(agent_to) OVER w
      FROM c WHERE agent_moves > 0 WINDOW w AS (PARTITION BY session ORDER BY n)
    UNION ALL SELECT execution_seq - execution_moves = lag(execution_seq) OVER w
        AND execution_from = lag(execution_to) OVER w
      FROM c WHERE execution_moves > 0 WINDOW w AS (PARTITION BY session ORDER BY n)) o);
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
  SELECT max(c.note) + 1 INTO next FROM change c WHERE c.task_id = t.id AND c.task_seq = t.version;
  INSERT INTO change (step, run_id, task_id, task_seq, note, actor, reason, extra)
    VALUES (baton_step('task|||||' || (note->>'kind') || '||'), t.run_id, t.id, t.version, coalesce(next, 1),
      note->>'actor', note->>'reason',
      jsonb_build_object('event', note->'event', 'state', t.status, 'metadata', note->'metadata'));
END;
$$;
