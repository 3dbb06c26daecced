-- The feed: dense positions for committed events.

-- Gives committed events that have none a dense position, in the order of their ids; one process at a time, others
-- get 0.
CREATE FUNCTION baton_sequence() RETURNS integer LANGUAGE plpgsql AS $$
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
