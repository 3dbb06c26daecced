-- The history of every entity: events that are cells of its machine and continue one another. The log (13-log.sql)
-- chains them. Rules: docs/spec/store.md.

-- DONE→CLOSED needs a confirmed landing with a passed verdict.
CREATE FUNCTION baton_must_have_landed(v_task uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM landing l JOIN verdict v ON v.id = l.verdict_id
      WHERE l.task_id = v_task AND l.confirmed_at IS NOT NULL AND v.passed AND v.tree = l.tree) THEN
    RAISE EXCEPTION 'task %: no confirmed landing with a passed verdict', v_task USING ERRCODE = 'BA003';
  END IF;
END;
$$;

-- An event that is written by hand must be a cell of its machine and continue its entity. Sets of events are checked by
-- baton_put_events, which writes at a trigger depth of its own.
CREATE FUNCTION baton_check_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
  was text;
BEGIN
  SELECT e.seq, e.note, e.to_state INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.entity_id AND e.machine = NEW.machine ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  was := last.to_state;
  IF NEW.kind IN ('move', 'override') THEN
    IF NEW.note <> 0 OR NEW.seq <> coalesce(last.seq, 0) + 1 THEN
      RAISE EXCEPTION 'event % of % % does not follow event %', NEW.seq, NEW.machine, NEW.entity_id, last.seq
        USING ERRCODE = 'BA002';
    END IF;
    -- Without an earlier event the machine stands in its first state.
    IF was IS NULL AND baton_is_initial(NEW.machine || '|' || NEW.from_state) THEN was := NEW.from_state; END IF;
    IF NEW.from_state IS DISTINCT FROM was THEN
      RAISE EXCEPTION '% % stands in %, not in %', NEW.machine, NEW.entity_id, was, NEW.from_state
        USING ERRCODE = 'BA002';
    END IF;
    IF NOT EXISTS (SELECT 1 FROM machine_cell c
        WHERE c.key = concat_ws('|', NEW.machine, NEW.from_state, NEW.event, coalesce(NEW.alias, ''), NEW.to_state,
          NEW.kind)) THEN
      RAISE EXCEPTION '%: % --%--> % (%) is no move', NEW.machine, NEW.from_state, NEW.event, NEW.to_state, NEW.kind
        USING ERRCODE = 'BA001';
    END IF;
    IF NEW.machine = 'task' AND NEW.to_state = 'CLOSED' THEN PERFORM baton_must_have_landed(NEW.entity_id); END IF;
  ELSIF NEW.kind = 'created' THEN
    IF last IS NOT NULL OR NEW.seq <> 0 OR NEW.note <> 0 OR NEW.from_state IS NOT NULL
       OR NOT EXISTS (SELECT 1 FROM machine_cell c
         WHERE c.key = NEW.machine || '||created||' || NEW.to_state || '|created') THEN
      RAISE EXCEPTION '% % cannot begin in %', NEW.machine, NEW.entity_id, NEW.to_state USING ERRCODE = 'BA001';
    END IF;
  ELSIF NEW.kind IN ('refused', 'late_report') THEN
    IF last IS NULL OR NEW.seq <> last.seq OR NEW.note <> last.note + 1 OR NEW.from_state <> was
      OR NEW.to_state <> was THEN
      RAISE EXCEPTION 'a note on % % must stand where the machine stands', NEW.machine, NEW.entity_id
        USING ERRCODE = 'BA002';
    END IF;
  ELSE
    RAISE EXCEPTION 'unknown kind of event: %', NEW.kind USING ERRCODE = 'BA001';
  END IF;
  NEW.at := clock_timestamp();
  RETURN NEW;
END;
$$;

CREATE TRIGGER lifecycle_event_check BEFORE INSERT ON lifecycle_event FOR EACH ROW WHEN (pg_trigger_depth() = 0)
  EXECUTE FUNCTION baton_check_event();

-- A transaction has its number before its events have theirs: by that the log knows when a missing id cannot come.
CREATE FUNCTION baton_number_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_current_xact_id();
  RETURN NULL;
END;
$$;

CREATE TRIGGER lifecycle_event_transaction BEFORE INSERT ON lifecycle_event FOR EACH STATEMENT
  EXECUTE FUNCTION baton_number_transaction();

-- Events are append-only, but for those that were archived.
CREATE FUNCTION baton_keep_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM archived_entity a
      WHERE a.machine = OLD.machine AND a.entity_id = OLD.entity_id
        AND (OLD.seq, OLD.note) <= (a.upto_seq, a.upto_note)) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'lifecycle events are append-only' USING ERRCODE = 'BA004';
END;
$$;

CREATE TRIGGER lifecycle_event_keep BEFORE UPDATE OR DELETE ON lifecycle_event FOR EACH ROW
  EXECUTE FUNCTION baton_keep_event();

-- The history and what is said of the archive are never emptied.
CREATE FUNCTION baton_keep_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the record is append-only' USING ERRCODE = 'BA004';
END;
$$;

CREATE TRIGGER lifecycle_event_keep_all BEFORE TRUNCATE ON lifecycle_event FOR EACH STATEMENT
  EXECUTE FUNCTION baton_keep_events();

CREATE TRIGGER archived_entity_keep_all BEFORE TRUNCATE ON archived_entity FOR EACH STATEMENT
  EXECUTE FUNCTION baton_keep_events();

-- Refuses a set of events that does not continue what is written.
CREATE FUNCTION baton_no_chain(machine text, entity uuid, seq integer) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'event % of % % does not continue it', seq, machine, entity USING ERRCODE = 'BA002';
END;
$$;

-- Refuses a set of events of which a row is not set from the last one of its machine.
CREATE FUNCTION baton_no_end() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a row must be set from the last event of its machine' USING ERRCODE = 'BA002';
END;
$$;

-- Writes one set of events, in order: each must be a cell of its machine and continue its entity, and the last one of
-- each entity must be among `ends` (whose rows the caller sets from it). Arrays run side by side; `extras` holds what
-- is rare. The first event of an entity continues what is written, each other one the event before it. `ends` holds a
-- null where a change moves no run; whether a number is among numbers and a null is not known: what is not surely
-- there is missing.
CREATE FUNCTION baton_put_events(cells text[], entities uuid[], seqs integer[], runs uuid[], tasks uuid[],
  reasons text[], triggers text[],
  extras jsonb[], ends integer[], v_actor text, v_at timestamptz, actors text[] DEFAULT NULL) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
  written integer;
BEGIN
  IF pg_trigger_depth() = 0 THEN RAISE EXCEPTION 'events are written through the doors only'
    USING ERRCODE = 'BA001'; END IF;
  INSERT INTO lifecycle_event (machine, version, entity_id, run_id, task_id, seq, from_state, to_state, event,
    alias, kind, actor, reason, transition_reason, abort_reason, trigger, metadata, at)
  SELECT g.machine, g.version, g.entity_id, g.run_id, g.task_id, g.seq, g.from_state, g.to_state, g.event,
    g.alias, g.kind, coalesce(g.actor, v_actor), g.reason, g.extra->>'transition_reason',
    g.extra->>'abort_reason', g.trig, coalesce(g.extra->'metadata', '{}'), v_at
  FROM (SELECT g.*, c.machine, c.version, c.from_state, c.event, c.alias, c.to_state, c.kind,
      lag(g.seq) OVER w AS seq_before, lag(c.to_state) OVER w AS state_before, lead(g.n) OVER w IS NULL AS newest
    FROM unnest(cells, entities, seqs, runs, tasks, reasons, triggers, extras, actors) WITH ORDINALITY
        AS g(cell, entity_id, seq, run_id, task_id, reason, trig, extra, actor, n)
      CROSS JOIN LATERAL (SELECT m.* FROM machine_cell m WHERE m.key = g.cell OFFSET 0) c
    WINDOW w AS (PARTITION BY g.entity_id, c.machine ORDER BY g.n)) g
    LEFT JOIN LATERAL (SELECT e.seq, e.to_state FROM lifecycle_event e
      WHERE g.seq_before IS NULL AND e.entity_id = g.entity_id AND e.machine = g.machine
      ORDER BY e.seq DESC, e.note DESC LIMIT 1) p ON true
  WHERE CASE
      WHEN g.newest AND NOT coalesce(g.n = ANY (ends), false) THEN baton_no_end()
      WHEN CASE WHEN coalesce(g.seq_before, p.seq) IS NOT NULL THEN g.kind <> 'created'
             AND g.seq = coalesce(g.seq_before, p.seq) + 1 AND g.from_state = coalesce(g.state_before, p.to_state)
           WHEN g.kind = 'created' THEN g.seq = 0
           ELSE g.seq = 1 AND baton_is_initial(g.machine || '|' || g.from_state) END THEN true
      ELSE baton_no_chain(g.machine, g.entity_id, g.seq) END
  ORDER BY g.n;
  GET DIAGNOSTICS written = ROW_COUNT;
  IF written IS DISTINCT FROM cardinality(cells) THEN
    RAISE EXCEPTION 'no such move: %', (SELECT string_agg(cell, ', ') FROM unnest(cells) cell
      WHERE NOT EXISTS (SELECT 1 FROM machine_cell c WHERE c.key = cell)) USING ERRCODE = 'BA001';
  END IF;
END;
$$;

-- Writes events one by one, in the order given; the triggers check, chain and queue them.
CREATE FUNCTION baton_write_events(events jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lifecycle_event (machine, version, entity_id, run_id, task_id, seq, note, from_state, to_state, event,
    alias, kind, actor, reason,
    transition_reason, abort_reason, trigger, metadata)
  SELECT e->>'machine', coalesce((e->>'version')::int, 1), (e->>'entity_id')::uuid, (e->>'run_id')::uuid,
    (e->>'task_id')::uuid, (e->>'seq')::int,
    coalesce((e->>'note')::int, 0), e->>'from_state', e->>'to_state', e->>'event', e->>'alias', e->>'kind',
      e->>'actor', e->>'reason',
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
  SELECT max(e.note) + 1 INTO next FROM lifecycle_event e WHERE e.entity_id = t.id AND e.machine = 'task'
    AND e.seq = t.version;
  PERFORM baton_write_events(jsonb_build_array(note || jsonb_build_object('machine', 'task', 'entity_id', t.id,
    'run_id', t.run_id,
    'task_id', t.id, 'seq', t.version, 'note', next, 'from_state', t.status, 'to_state', t.status)));
END;
$$;
