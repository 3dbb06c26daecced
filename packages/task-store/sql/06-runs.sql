-- Repositories and runs: whether a run takes claims, what that makes of its tasks, and what one task means for others.

-- The repository at this place, made when it is new.
CREATE FUNCTION baton_have_repo(place jsonb) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  v_id uuid;
BEGIN
  SELECT id INTO v_id FROM repo WHERE location = place->>'location'
    AND coalesce(host, '') = coalesce(place->>'host', '');
  IF FOUND THEN RETURN v_id; END IF;
  INSERT INTO repo (id, location, host) VALUES ((place->>'id')::uuid, place->>'location', place->>'host')
    ON CONFLICT (location, coalesce(host, '')) DO UPDATE SET location = EXCLUDED.location RETURNING id INTO v_id;
  RETURN v_id;
END;
$$;

-- Takes this run claims? Whoever asks holds the run until its own end: a pause or a resumption, which looks through
-- all open tasks, then comes wholly before or wholly after. Else a paused run would hand out a task that was given
-- back meanwhile, and one that goes on would keep such a task for ever.
CREATE FUNCTION baton_run_open(v_run uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  opened boolean;
  v_held boolean;
BEGIN
  SELECT r.status NOT IN ('paused', 'cancelled', 'failed') INTO opened FROM run r WHERE r.id = v_run FOR SHARE;
  SELECT b.held INTO v_held FROM budget b WHERE b.run_id = v_run;
  -- One that is not held needs no lock: a claim reserves its money in any case.
  IF v_held THEN SELECT b.held INTO v_held FROM budget b WHERE b.run_id = v_run FOR SHARE; END IF;
  RETURN opened AND NOT v_held;
END;
$$;

-- Sets `claimable` of all open tasks of a run anew, after the run's own state changed.
CREATE FUNCTION baton_refresh_claimable(run uuid) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  opened boolean := baton_run_open(run);
  changed integer;
BEGIN
  UPDATE task t SET claimable = opened AND (t.not_before IS NULL OR t.not_before <= now())
   WHERE t.run_id = run AND t.stage = 'OPEN' AND t.claimable IS DISTINCT
     FROM (opened AND (t.not_before IS NULL OR t.not_before <= now()));
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END;
$$;

-- Holds the runs of these tasks before anything else is locked.
CREATE FUNCTION baton_hold_runs(ids uuid[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM 1 FROM run r WHERE r.id IN (SELECT t.run_id FROM task t WHERE t.id = ANY (ids)) ORDER BY r.id FOR SHARE;
END;
$$;

-- Locks a run that is settled by its tasks, and refuses when they are not those that were looked at.
CREATE FUNCTION baton_must_have_seen(v_run uuid, seen text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM run r WHERE r.id = v_run FOR NO KEY UPDATE;
  IF seen IS DISTINCT FROM (SELECT concat_ws(' ', count(*), coalesce(sum(t.version), 0)) FROM task t
    WHERE t.run_id = v_run) THEN
    RAISE EXCEPTION 'stale run' USING ERRCODE = 'BA010';
  END IF;
END;
$$;

-- Open tasks that were given back and wait for the next try are due now: the cause of the wait is one of these.
-- Returns how many.
CREATE FUNCTION baton_end_waits(v_run uuid, causes text[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
BEGIN
  -- Locks in the order of claims: run, tasks.
  PERFORM 1 FROM run WHERE id = v_run FOR NO KEY UPDATE;
  PERFORM 1 FROM task t WHERE t.run_id = v_run AND t.stage = 'OPEN' ORDER BY t.id FOR NO KEY UPDATE;
  UPDATE task t SET not_before = NULL WHERE t.run_id = v_run AND t.stage = 'OPEN' AND t.not_before > now() AND EXISTS (
    SELECT 1 FROM (SELECT a.outcome FROM attempt a WHERE a.task_id = t.id AND a.ended_at IS NOT NULL
        ORDER BY a.number DESC LIMIT 1) last
      WHERE last.outcome = ANY (causes));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  IF v_count > 0 THEN PERFORM baton_refresh_claimable(v_run); END IF;
  RETURN v_count;
END;
$$;

-- A task is CLOSED: its dependents have one open dependency less. Returns how many became ready.
CREATE FUNCTION baton_release_dependents(closed uuid) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  ready integer;
BEGIN
  PERFORM 1 FROM task t WHERE t.id IN (SELECT d.task_id FROM task_dependency d WHERE d.depends_on_id = closed
    AND NOT d.satisfied)
    ORDER BY t.id FOR UPDATE;
  WITH met AS (UPDATE task_dependency d SET satisfied = true WHERE d.depends_on_id = closed AND NOT d.satisfied
    RETURNING d.task_id),
  less AS (UPDATE task t SET pending_dependencies = t.pending_dependencies - 1, updated_at = now()
            FROM met WHERE t.id = met.task_id RETURNING t.pending_dependencies, t.status)
  SELECT count(*) INTO ready FROM less WHERE pending_dependencies = 0 AND status = 'OPEN';
  RETURN ready;
END;
$$;

-- A task is CANCELLED: all that depend on it and all below it shall be too. Returns those newly asked.
CREATE FUNCTION baton_cascade_cancel(cancelled uuid) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  asked uuid[];
BEGIN
  WITH RECURSIVE below AS (
    SELECT cancelled AS id
    UNION
    SELECT n.id FROM below b CROSS JOIN LATERAL (
      SELECT d.task_id AS id FROM task_dependency d WHERE d.depends_on_id = b.id AND NOT d.satisfied
      UNION ALL SELECT c.id FROM task c WHERE c.parent_id = b.id) n),
  marked AS (UPDATE task t SET cancel_requested = true, updated_at = now() FROM below b
    WHERE t.id = b.id AND t.id <> cancelled AND NOT t.settled AND NOT t.cancel_requested RETURNING t.id)
  SELECT coalesce(array_agg(id), '{}') INTO asked FROM marked;
  RETURN asked;
END;
$$;
