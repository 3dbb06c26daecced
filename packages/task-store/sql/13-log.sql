-- The log: dense positions for committed events, and one chain of hashes over the changes of all entities. Its last
-- hash proves what happened, in which order, and that nothing was taken out. Rules: docs/spec/store.md#feed.

-- The digest of a change: of all its fields, with its step as it is spelled, and its time to the microsecond.
CREATE FUNCTION baton_leaf(c change) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to(ROW(c.id, s.key, c.run_id, c.task_id, c.attempt_id, c.session_id, c.tasks, c.task_seq,
    c.turn_seq, c.agent_seq, c.execution_seq, c.run_seq, c.note, c.number, c.fence, c.actor, c.reason,
    c.transition_reason, c.abort_reason, c.extra)::text, 'UTF8') || timestamptz_send(c.at))
    FROM step s WHERE s.id = c.step;
$$;

-- The hash of an entry, over the one before it, the position after it and its leaves.
CREATE FUNCTION baton_link(previous bytea, next bigint, leaves bytea) RETURNS bytea
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sha256(coalesce(previous, '') || int8send(next) || leaves);
$$;

-- The changes of an entry, with id, position of the first event, number of events and leaf. What is stored compressed
-- is opened once here, not for each change.
CREATE FUNCTION baton_leaves(entry log_entry) RETURNS TABLE (id bigint, start bigint, size integer, leaf bytea)
  LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 2000 AS $$
DECLARE
  v_ids bigint[] := entry.ids || '{}'::bigint[];
  v_sizes integer[] := entry.sizes || '{}'::integer[];
  v_leaves bytea := entry.leaves || ''::bytea;
BEGIN
  RETURN QUERY SELECT i.id, entry.first + sum(i.size) OVER (ORDER BY i.n ROWS UNBOUNDED PRECEDING) - i.size, i.size,
      substring(v_leaves FROM (32 * (i.n - 1) + 1)::integer FOR 32)
    FROM unnest(v_ids, v_sizes) WITH ORDINALITY AS i(id, size, n);
END;
$$;

-- Committed changes that are in no entry yet.
CREATE VIEW baton_unlogged AS
  SELECT c.* FROM change c
    WHERE c.id > coalesce((SELECT l.seen FROM log_entry l ORDER BY l.next DESC LIMIT 1), 0)
  UNION ALL
  SELECT c.* FROM log_gap g CROSS JOIN LATERAL unnest(g.ids) AS r(ids)
    JOIN change c ON c.id >= lower(r.ids) AND c.id < upper(r.ids);

-- How many events an entry has.
CREATE FUNCTION baton_sum(sizes integer[]) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(sum(s), 0) FROM unnest(sizes) s;
$$;

-- An entry continues the one before it.
CREATE FUNCTION baton_check_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last log_entry;
BEGIN
  SELECT * INTO last FROM log_entry l ORDER BY l.next DESC LIMIT 1;
  IF NEW.first <> coalesce(last.next, 1) OR NEW.next IS DISTINCT FROM NEW.first + baton_sum(NEW.sizes)
    OR cardinality(NEW.sizes) <> cardinality(NEW.ids) OR NEW.seen < coalesce(last.seen, 0)
    OR octet_length(NEW.leaves) <> 32 * cardinality(NEW.ids)
    OR NEW.hash <> baton_link(last.hash, NEW.next, NEW.leaves) THEN
    RAISE EXCEPTION 'this entry does not continue the log' USING ERRCODE = 'BA002';
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER log_entry_check BEFORE INSERT ON log_entry FOR EACH ROW EXECUTE FUNCTION baton_check_entry();

CREATE TRIGGER log_entry_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON log_entry FOR EACH STATEMENT
  EXECUTE FUNCTION baton_keep_events();

-- Writes the next entry: committed changes in the order of their ids, `most` new ones at once. One process at a time,
-- others get 0, or wait for their turn when they ask for that. What is looked at, and which transactions are over, is
-- of one moment, so it is one statement. A gap
-- lasts until all transactions are over that had begun when it was found; this transaction's own number, which it has
-- only now, is after all of theirs.
CREATE FUNCTION baton_log(most integer, waits boolean DEFAULT false) RETURNS integer LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  last log_entry;
  due record;
  gap int8multirange;
BEGIN
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'the log is written in a transaction of its own' USING ERRCODE = 'BA001';
  END IF;
  IF waits THEN
    PERFORM pg_advisory_xact_lock(hashtext('baton.log'));
  ELSIF NOT pg_try_advisory_xact_lock(hashtext('baton.log')) THEN
    RETURN 0;
  END IF;
  SELECT * INTO last FROM log_entry l ORDER BY l.next DESC LIMIT 1;
  WITH fresh AS (
      SELECT c.id, baton_leaf(c) AS leaf, baton_size(c) AS size FROM change c WHERE c.id > coalesce(last.seen, 0)
        ORDER BY c.id LIMIT most),
    late AS (
      SELECT c.id, baton_leaf(c) AS leaf, baton_size(c) AS size
        FROM log_gap g CROSS JOIN LATERAL unnest(g.ids) AS r(ids)
          JOIN change c ON c.id >= lower(r.ids) AND c.id < upper(r.ids))
  SELECT (SELECT max(f.id) FROM fresh f) AS seen, array_agg(d.id ORDER BY d.id) AS ids,
      array_agg(d.size ORDER BY d.id) AS sizes, sum(d.size) AS events,
      string_agg(d.leaf, '' ORDER BY d.id) AS leaves, range_agg(int8range(d.id, d.id, '[]')) AS ranges,
      pg_snapshot_xmin(pg_current_snapshot()) AS oldest
    INTO due FROM (SELECT * FROM fresh UNION ALL SELECT * FROM late) d;
  UPDATE log_gap g SET ids = g.ids - due.ranges WHERE g.ids && due.ranges;
  DELETE FROM log_gap g WHERE isempty(g.ids) OR g.until <= due.oldest;
  IF due.ids IS NULL THEN RETURN 0; END IF;
  due.seen := greatest(due.seen, last.seen);
  gap := int8multirange(int8range(coalesce(last.seen, 0), due.seen, '(]')) - due.ranges;
  IF NOT isempty(gap) THEN INSERT INTO log_gap (ids, until) VALUES (gap, pg_current_xact_id()); END IF;
  INSERT INTO log_entry (first, next, seen, ids, sizes, leaves, hash)
    SELECT n.first, n.next, due.seen, due.ids, due.sizes, due.leaves, baton_link(last.hash, n.next, due.leaves)
      FROM (SELECT coalesce(last.next, 1) AS first, coalesce(last.next, 1) + due.events AS next) n;
  RETURN cardinality(due.ids);
END;
$$;
