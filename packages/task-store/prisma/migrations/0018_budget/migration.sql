-- What a run may spend can be changed while it goes on: an event of the run's own history that leaves its state as it is.
INSERT INTO machine_cell (key, machine, version, from_state, event, alias, to_state, kind)
  SELECT concat_ws('|', 'run', state, 'budget', '', state, 'move'), 'run', 1, state, 'budget', NULL, state, 'move'
    FROM unnest(ARRAY['running', 'paused', 'waiting', 'stuck', 'done', 'failed', 'cancelled']) state;

-- Sets the cap (null: none) unless more than that is spent and reserved already. Tasks that waited for money are claimable at once.
CREATE FUNCTION baton_set_budget(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_cap bigint := (request->>'cap')::bigint;
  r run;
  b budget;
BEGIN
  -- Locks in the order of claims: run, tasks, budget.
  SELECT * INTO r FROM run WHERE id = (request->>'run_id')::uuid FOR NO KEY UPDATE;
  IF NOT FOUND OR EXISTS (SELECT 1 FROM command c WHERE c.id = request#>>'{command,id}') THEN RETURN '{"ok":true}'; END IF;
  PERFORM 1 FROM task t WHERE t.run_id = r.id AND t.status = 'OPEN' ORDER BY t.id FOR NO KEY UPDATE;
  SELECT * INTO b FROM budget WHERE run_id = r.id FOR NO KEY UPDATE;
  IF v_cap < b.spent_micro_usd + b.reserved_micro_usd THEN
    RETURN jsonb_build_object('ok', false, 'spent', b.spent_micro_usd, 'reserved', b.reserved_micro_usd);
  END IF;
  IF request ? 'command' THEN
    INSERT INTO command (id, actor, answer) VALUES (request#>>'{command,id}', request->>'actor', jsonb_build_object('runId', r.id));
  END IF;
  IF v_cap IS NOT DISTINCT FROM b.cap_micro_usd THEN RETURN '{"ok":true}'; END IF;
  PERFORM baton_write_events(jsonb_build_array(jsonb_build_object('machine', 'run', 'entity_id', r.id, 'run_id', r.id, 'seq', r.seq + 1,
    'from_state', r.status, 'to_state', r.status, 'event', 'budget', 'kind', 'move', 'actor', request->>'actor', 'reason', request->>'reason',
    'metadata', jsonb_build_object('fromMicroUsd', b.cap_micro_usd, 'toMicroUsd', v_cap))));
  UPDATE run SET seq = r.seq + 1 WHERE id = r.id;
  UPDATE budget SET cap_micro_usd = v_cap, held = coalesce(spent_micro_usd * 100 >= v_cap * 95, false), starved = false WHERE run_id = r.id;
  -- Those that a worker gave back for want of money, or of a price under a cap, need not wait until they are looked at again.
  UPDATE task t SET not_before = NULL WHERE t.run_id = r.id AND t.status = 'OPEN' AND t.not_before > now() AND EXISTS (
    SELECT 1 FROM (SELECT a.outcome FROM attempt a WHERE a.task_id = t.id AND a.ended_at IS NOT NULL ORDER BY a.number DESC LIMIT 1) last
      WHERE last.outcome = 'budget' OR last.outcome = 'price_unknown' AND v_cap IS NULL);
  PERFORM baton_refresh_claimable(r.id);
  RETURN '{"ok":true}';
END;
$$;
