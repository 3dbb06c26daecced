-- Archiving: of an entity that has come to rest all events but the newest leave the database. The newest is its stub:
-- it keeps state and seq, so that everything that continues a history continues from it as before. The log keeps the
-- leaves of all. Rules: docs/spec/store.md#archive.

-- Will nobody but a person's word move it?
CREATE FUNCTION baton_at_rest(v_machine text, v_entity uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN CASE v_machine
    WHEN 'task' THEN EXISTS (SELECT 1 FROM task WHERE id = v_entity AND settled)
    WHEN 'turn' THEN EXISTS (SELECT 1 FROM attempt a JOIN task t ON t.id = a.task_id WHERE a.id = v_entity
      AND a.ended_at IS NOT NULL AND t.settled)
    WHEN 'agent' THEN EXISTS (SELECT 1 FROM agent_session WHERE id = v_entity AND ended_at IS NOT NULL)
    WHEN 'execution' THEN EXISTS (SELECT 1 FROM agent_session WHERE id = v_entity AND ended_at IS NOT NULL)
    WHEN 'run' THEN EXISTS (SELECT 1 FROM run WHERE id = v_entity AND status IN ('done', 'failed', 'cancelled'))
    ELSE false END;
END;
$$;

-- What leaves must be there, at rest, and followed by a stub; it only ever grows.
CREATE FUNCTION baton_check_archived() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last lifecycle_event;
  gone record;
BEGIN
  IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'what was archived stays so' USING ERRCODE = 'BA004'; END IF;
  SELECT * INTO last FROM lifecycle_event e
   WHERE e.machine = NEW.machine AND e.entity_id = NEW.entity_id AND e.seq = NEW.upto_seq AND e.note = NEW.upto_note;
  IF NOT FOUND OR last.to_state <> NEW.state THEN
    RAISE EXCEPTION 'event % of % % is not there as it is said to be', NEW.upto_seq, NEW.machine, NEW.entity_id
      USING ERRCODE = 'BA004';
  END IF;
  IF NOT baton_at_rest(NEW.machine, NEW.entity_id) OR NOT EXISTS (SELECT 1 FROM lifecycle_event e
      WHERE e.machine = NEW.machine AND e.entity_id = NEW.entity_id
        AND (e.seq, e.note) > (NEW.upto_seq, NEW.upto_note)) THEN
    RAISE EXCEPTION '% % has not come to rest', NEW.machine, NEW.entity_id USING ERRCODE = 'BA004';
  END IF;
  SELECT count(*) AS events, range_agg(int8range(e.id, e.id, '[]')) AS ids INTO gone FROM lifecycle_event e
   WHERE e.machine = NEW.machine AND e.entity_id = NEW.entity_id AND (e.seq, e.note) <= (NEW.upto_seq, NEW.upto_note);
  NEW.events := gone.events + CASE WHEN TG_OP = 'UPDATE' THEN OLD.events ELSE 0 END;
  NEW.ids := gone.ids + CASE WHEN TG_OP = 'UPDATE' THEN OLD.ids ELSE '{}' END;
  RETURN NEW;
END;
$$;

CREATE TRIGGER archived_entity_check BEFORE INSERT OR UPDATE OR DELETE ON archived_entity FOR EACH ROW
  EXECUTE FUNCTION baton_check_archived();

-- Entities that have been at rest for so long and whose events everybody has read, each with the end of what can leave.
CREATE FUNCTION baton_archivable(older_than interval, most integer)
  RETURNS TABLE (machine text, entity_id uuid, upto_seq integer, upto_note integer) LANGUAGE plpgsql STABLE AS $$
DECLARE
  cutoff timestamptz := now() - older_than;
  everybody_read bigint := coalesce((SELECT min(c.position) FROM cursor c), 9223372036854775806);
BEGIN
  RETURN QUERY
  WITH unread AS MATERIALIZED (
    SELECT i.id FROM log_entry l CROSS JOIN LATERAL unnest(l.ids) WITH ORDINALITY AS i(id, n)
      WHERE l.next > everybody_read + 1 AND l.first + i.n - 1 > everybody_read
    UNION ALL SELECT u.id FROM baton_unlogged u)
  SELECT r.machine, r.id, p.seq, p.note FROM (
      SELECT 'task'::text AS machine, t.id, t.version AS seq FROM task t WHERE t.settled AND t.updated_at < cutoff
      UNION ALL SELECT 'turn', a.id, a.turn_seq FROM attempt a JOIN task t ON t.id = a.task_id AND t.settled
        WHERE a.ended_at < cutoff
      UNION ALL SELECT 'agent', s.id, s.status_seq FROM agent_session s WHERE s.ended_at < cutoff
        AND s.status IS NOT NULL
      UNION ALL SELECT 'execution', s.id, s.execution_seq FROM agent_session s WHERE s.ended_at < cutoff
      UNION ALL SELECT 'run', r.id, r.seq FROM run r WHERE r.finished_at < cutoff
        AND r.status IN ('done', 'failed', 'cancelled')) r
    -- The last event but one: nothing before it, nothing to archive.
    CROSS JOIN LATERAL (SELECT e.seq, e.note FROM lifecycle_event e WHERE e.machine = r.machine AND e.entity_id = r.id
      ORDER BY e.seq DESC, e.note DESC OFFSET 1 LIMIT 1) p
   WHERE NOT EXISTS (SELECT 1 FROM archived_entity a WHERE a.machine = r.machine AND a.entity_id = r.id
     AND (a.upto_seq, a.upto_note) >= (p.seq, p.note))
     AND NOT EXISTS (SELECT 1 FROM lifecycle_event e WHERE e.machine = r.machine AND e.entity_id = r.id
       AND (e.at >= cutoff OR e.id IN (SELECT u.id FROM unread u)))
   LIMIT most;
END;
$$;

-- Takes out what was written to a file before; what has moved since, stays. Returns how many entities and events left.
CREATE FUNCTION baton_archive(entities jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  item jsonb;
  v_machine text; v_entity uuid; v_seq integer; v_note integer;
  left_entities integer := 0; left_events integer := 0;
  gone integer;
BEGIN
  FOR item IN SELECT value FROM jsonb_array_elements(entities) LOOP
    v_machine := item->>'machine'; v_entity := (item->>'entity_id')::uuid; v_seq := (item->>'upto_seq')::integer;
      v_note := (item->>'upto_note')::integer;
    -- A person may give it another try at this moment.
    PERFORM 1 FROM task WHERE id = v_entity FOR NO KEY UPDATE;
    PERFORM 1 FROM run WHERE id = v_entity FOR NO KEY UPDATE;
    CONTINUE WHEN NOT baton_at_rest(v_machine, v_entity);
    INSERT INTO archived_entity AS a (machine, entity_id, upto_seq, upto_note, state, events, ids)
      SELECT e.machine, e.entity_id, e.seq, e.note, e.to_state, 0, '{}' FROM lifecycle_event e
       WHERE e.machine = v_machine AND e.entity_id = v_entity AND e.seq = v_seq AND e.note = v_note
      ON CONFLICT (machine, entity_id) DO UPDATE SET upto_seq = EXCLUDED.upto_seq, upto_note = EXCLUDED.upto_note,
        state = EXCLUDED.state, archived_at = now();
    CONTINUE WHEN NOT FOUND;
    DELETE FROM lifecycle_event e WHERE e.machine = v_machine AND e.entity_id = v_entity
      AND (e.seq, e.note) <= (v_seq, v_note);
    GET DIAGNOSTICS gone = ROW_COUNT;
    left_entities := left_entities + 1;
    left_events := left_events + gone;
  END LOOP;
  RETURN jsonb_build_object('entities', left_entities, 'events', left_events);
END;
$$;
