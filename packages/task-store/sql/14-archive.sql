-- Archiving: changes whose entities have all come to rest leave the database, but for the newest of each entity. The
-- log keeps the leaves of all. Rules: docs/spec/store.md#archive.

-- Will nobody but a person's word move it? And has it been so for that long?
CREATE FUNCTION baton_at_rest(c change, cutoff timestamptz) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- The newest change of an entity stays: its number is that of the row.
  RETURN c.at < cutoff
    AND (c.task_id IS NULL AND c.tasks IS NULL OR NOT EXISTS (SELECT 1 FROM task t
      WHERE t.id = ANY (coalesce(c.tasks, ARRAY[c.task_id])) AND NOT (t.settled AND t.updated_at < cutoff
        AND coalesce(c.task_seq < t.version, true))))
    AND (c.attempt_id IS NULL OR EXISTS (SELECT 1 FROM attempt a WHERE a.id = c.attempt_id AND a.ended_at < cutoff
      AND coalesce(c.turn_seq < a.turn_seq, true)))
    AND (c.agent_seq IS NULL AND c.execution_seq IS NULL OR EXISTS (SELECT 1 FROM agent_session s
      WHERE s.id = c.session_id AND s.ended_at < cutoff AND coalesce(c.agent_seq < s.status_seq, true)
        AND coalesce(c.execution_seq < s.execution_seq, true)))
    AND (c.run_seq IS NULL OR EXISTS (SELECT 1 FROM run r WHERE r.id = c.run_id AND r.finished_at < cutoff
      AND r.status IN ('done', 'failed', 'cancelled') AND c.run_seq < r.seq));
END;
$$;

-- Changes that can leave: at rest for so long, in the log, and read by everybody.
CREATE FUNCTION baton_archivable(older_than interval, most integer) RETURNS SETOF bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  cutoff timestamptz := now() - older_than;
  everybody_read bigint := coalesce((SELECT min(c.position) FROM cursor c), 9223372036854775806);
BEGIN
  RETURN QUERY
  WITH unread AS MATERIALIZED (
    SELECT i.id FROM log_entry l CROSS JOIN LATERAL baton_leaves(l) i
      WHERE l.next > everybody_read + 1 AND i.start + i.size - 1 > everybody_read
    UNION ALL SELECT u.id FROM baton_unlogged u)
  SELECT c.id FROM (
      SELECT o AS row, o.id FROM task t JOIN change o ON o.task_id = t.id WHERE t.settled AND t.updated_at < cutoff
      UNION ALL SELECT o, o.id FROM change o WHERE o.task_id IS NULL) c
    WHERE baton_at_rest(c.row, cutoff) AND c.id NOT IN (SELECT u.id FROM unread u)
    ORDER BY c.id LIMIT most;
END;
$$;

-- What is said of the archive is said once.
CREATE FUNCTION baton_keep_archived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND pg_trigger_depth() > 1 THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'what was archived stays so' USING ERRCODE = 'BA004';
END;
$$;

CREATE TRIGGER archived_entity_keep BEFORE UPDATE OR DELETE ON archived_entity FOR EACH ROW
  EXECUTE FUNCTION baton_keep_archived();

-- The changes `ids` leave: each must be there and at rest; what is said of their entities follows from them.
CREATE FUNCTION baton_leave() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong bigint;
BEGIN
  SELECT r.id INTO wrong FROM unnest(NEW.ids) AS g CROSS JOIN LATERAL generate_series(lower(g), upper(g) - 1) AS r(id)
    LEFT JOIN change c ON c.id = r.id WHERE c.id IS NULL OR NOT baton_at_rest(c, 'infinity') LIMIT 1;
  IF FOUND OR isempty(NEW.ids) THEN
    RAISE EXCEPTION 'change % has not come to rest', wrong USING ERRCODE = 'BA004';
  END IF;
  SELECT sum(baton_size(c)) INTO NEW.events FROM unnest(NEW.ids) AS g
    JOIN change c ON c.id >= lower(g) AND c.id < upper(g);
  INSERT INTO archived_entity AS a (machine, entity_id, seqs, upto_seq, state, events)
    SELECT e.machine, e.entity_id, range_agg(int4range(e.seq, e.seq, '[]')), max(e.seq),
        (array_agg(e.to_state ORDER BY e.seq DESC, e.note DESC))[1], count(*)
      FROM unnest(NEW.ids) AS g JOIN lifecycle_event e ON e.id >= lower(g) AND e.id < upper(g)
      GROUP BY e.machine, e.entity_id
    ON CONFLICT (machine, entity_id) DO UPDATE SET seqs = a.seqs + EXCLUDED.seqs,
      upto_seq = greatest(a.upto_seq, EXCLUDED.upto_seq),
      state = CASE WHEN EXCLUDED.upto_seq > a.upto_seq THEN EXCLUDED.state ELSE a.state END,
      events = a.events + EXCLUDED.events;
  RETURN NEW;
END;
$$;

CREATE TRIGGER archived_change_leave BEFORE INSERT ON archived_change FOR EACH ROW EXECUTE FUNCTION baton_leave();

-- Takes out what was written to a file before; what has moved since, stays. Returns how many entities and events left.
CREATE FUNCTION baton_archive(v_ids bigint[]) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  resting int8multirange;
  gone jsonb;
BEGIN
  -- A person may give a task another try at this moment.
  PERFORM 1 FROM run r WHERE r.id IN (SELECT c.run_id FROM change c WHERE c.id = ANY (v_ids) AND c.run_seq IS NOT NULL)
    ORDER BY r.id FOR NO KEY UPDATE;
  PERFORM 1 FROM task t WHERE t.id IN (SELECT unnest(coalesce(c.tasks, ARRAY[c.task_id])) FROM change c
    WHERE c.id = ANY (v_ids)) ORDER BY t.id FOR NO KEY UPDATE;
  SELECT range_agg(int8range(c.id, c.id, '[]')) INTO resting FROM change c
    WHERE c.id = ANY (v_ids) AND baton_at_rest(c, 'infinity');
  IF resting IS NULL THEN RETURN '{"entities": 0, "events": 0}'; END IF;
  SELECT jsonb_build_object('entities', count(DISTINCT (e.machine, e.entity_id)), 'events', count(*)) INTO gone
    FROM lifecycle_event e WHERE e.id = ANY (v_ids) AND resting @> e.id;
  INSERT INTO archived_change (ids, events) VALUES (resting, 0);
  DELETE FROM change c WHERE c.id = ANY (v_ids) AND resting @> c.id;
  RETURN gone;
END;
$$;
