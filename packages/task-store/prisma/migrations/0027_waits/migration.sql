-- A person who resumes a run has it looked at now: tasks that wait for a provider need not wait until it was to answer again.
CREATE FUNCTION baton_end_waits(v_run uuid) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
BEGIN
  -- Locks in the order of claims: run, tasks.
  PERFORM 1 FROM run WHERE id = v_run FOR NO KEY UPDATE;
  PERFORM 1 FROM task t WHERE t.run_id = v_run AND t.status = 'OPEN' ORDER BY t.id FOR NO KEY UPDATE;
  UPDATE task t SET not_before = NULL WHERE t.run_id = v_run AND t.status = 'OPEN' AND t.not_before > now() AND EXISTS (
    SELECT 1 FROM (SELECT a.outcome FROM attempt a WHERE a.task_id = t.id AND a.ended_at IS NOT NULL
        ORDER BY a.number DESC LIMIT 1) last
      WHERE last.outcome IN ('parked', 'provider_down'));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  IF v_count > 0 THEN PERFORM baton_refresh_claimable(v_run); END IF;
  RETURN v_count;
END;
$$;
