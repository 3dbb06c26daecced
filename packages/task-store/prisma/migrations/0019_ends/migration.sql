-- `ends` holds a null where a change moves no run, and whether a number is among numbers and a null is not known: what is not surely
-- there is missing. The rest is as before.
CREATE OR REPLACE FUNCTION baton_put_events(cells text[], entities uuid[], seqs integer[], runs uuid[], tasks uuid[], reasons text[], triggers text[],
  extras jsonb[], ends integer[], v_actor text, v_at timestamptz, actors text[] DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  rounds integer[];
  last_round integer;
  at_ends boolean;
  part integer;
  written integer := 0;
BEGIN
  IF pg_trigger_depth() = 0 THEN RAISE EXCEPTION 'events are written through the doors only' USING ERRCODE = 'BA001'; END IF;
  SELECT array_agg(g.round ORDER BY g.n), max(g.round), bool_and(NOT g.newest OR coalesce(g.n = ANY (ends), false)) INTO rounds, last_round, at_ends
    FROM (SELECT g.n::integer AS n, row_number() OVER w AS round, lead(g.n) OVER w IS NULL AS newest
      FROM unnest(cells, entities, seqs) WITH ORDINALITY AS g(cell, entity_id, seq, n)
      WINDOW w AS (PARTITION BY g.entity_id, split_part(g.cell, '|', 1) COLLATE "C" ORDER BY g.seq)) g;
  IF NOT at_ends THEN RAISE EXCEPTION 'a row must be set from the last event of its machine' USING ERRCODE = 'BA002'; END IF;
  FOR round IN 1 .. last_round LOOP
    WITH put AS (
      INSERT INTO lifecycle_event (machine, version, entity_id, run_id, task_id, seq, from_state, to_state, event, alias, kind, actor, reason,
        transition_reason, abort_reason, trigger, metadata, at, hash)
      SELECT c.machine, c.version, g.entity_id, g.run_id, g.task_id, g.seq, c.from_state, c.to_state, c.event, c.alias, c.kind,
        coalesce(g.actor, v_actor), g.reason,
        g.extra->>'transition_reason', g.extra->>'abort_reason', g.trig, coalesce(g.extra->'metadata', '{}'), v_at,
        CASE WHEN CASE WHEN c.kind = 'created' THEN p.last_seq IS NULL AND g.seq = 0
               WHEN p.last_seq IS NULL THEN g.seq = 1 AND baton_is_initial(c.machine || '|' || c.from_state)
               ELSE g.seq = p.last_seq + 1 AND p.last_state = c.from_state END
          THEN baton_link(p.last_hash, ROW(c.machine, c.version, g.entity_id, g.run_id, g.task_id, g.seq, 0, c.from_state, c.to_state, c.event, c.alias,
            c.kind, coalesce(g.actor, v_actor), g.reason, g.extra->>'transition_reason', g.extra->>'abort_reason', g.trig,
            coalesce(g.extra->'metadata', '{}'))::text, v_at)
          ELSE baton_no_chain(c.machine, g.entity_id, g.seq) END
      FROM unnest(cells, entities, seqs, runs, tasks, reasons, triggers, extras, actors, rounds)
          AS g(cell, entity_id, seq, run_id, task_id, reason, trig, extra, actor, its_round)
        CROSS JOIN LATERAL (SELECT m.* FROM machine_cell m WHERE m.key = g.cell OFFSET 0) c
        LEFT JOIN LATERAL (SELECT e.seq AS last_seq, e.to_state AS last_state, e.hash AS last_hash FROM lifecycle_event e
          WHERE e.entity_id = g.entity_id AND e.machine = c.machine ORDER BY e.seq DESC, e.note DESC LIMIT 1) p ON true
      WHERE g.its_round = round
      RETURNING id)
    INSERT INTO feed_queue (event_ids) SELECT array_agg(id) FROM put HAVING count(*) > 0 RETURNING cardinality(event_ids) INTO part;
    written := written + coalesce(part, 0);
  END LOOP;
  IF written IS DISTINCT FROM cardinality(cells) THEN
    RAISE EXCEPTION 'no such move: %', (SELECT string_agg(cell, ', ') FROM unnest(cells) cell
      WHERE NOT EXISTS (SELECT 1 FROM machine_cell c WHERE c.key = cell)) USING ERRCODE = 'BA001';
  END IF;
END;
$$;
