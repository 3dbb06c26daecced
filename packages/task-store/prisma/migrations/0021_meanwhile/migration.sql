-- What becomes ready asks whether its run takes claims, and holds the run until its own end: a pause or a resumption, which looks through
-- all open tasks, then comes wholly before or wholly after. Else a paused run would hand out a task that was given back meanwhile,
-- and one that goes on would keep such a task for ever.
CREATE OR REPLACE FUNCTION baton_run_open(v_run uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
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

-- Holds the runs of these tasks before anything else is locked.
CREATE FUNCTION baton_hold_runs(ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM run r WHERE r.id IN (SELECT t.run_id FROM task t WHERE t.id = ANY (ids)) ORDER BY r.id FOR SHARE;
END;
$$;
ALTER FUNCTION baton_hold_runs(uuid[]) SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off;

-- Locks a run that is settled by its tasks, and refuses when they are not those that were looked at.
CREATE FUNCTION baton_must_have_seen(v_run uuid, seen text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM run r WHERE r.id = v_run FOR NO KEY UPDATE;
  IF seen IS DISTINCT FROM (SELECT concat_ws(' ', count(*), coalesce(sum(t.version), 0)) FROM task t WHERE t.run_id = v_run) THEN
    RAISE EXCEPTION 'stale run' USING ERRCODE = 'BA010';
  END IF;
END;
$$;

-- Stands before the door of changes (triggers fire in the order of their names).
CREATE FUNCTION baton_admit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moves text := array_to_string(NEW.cells, ' ');
BEGIN
  IF NEW.rest#>'{run,seen}' IS NOT NULL THEN
    PERFORM baton_must_have_seen((NEW.rest#>>'{run,id}')::uuid, NEW.rest#>>'{run,seen}');
  ELSIF moves LIKE '%|OPEN|move%' OR moves LIKE '%|OPEN|override%' OR 0 = ANY (NEW.task_at) OR NEW.rest ? 'add' THEN
    PERFORM baton_hold_runs(NEW.task_ids);
  END IF;
  RETURN NEW;
END;
$$;
CREATE TRIGGER baton_admit INSTEAD OF INSERT ON baton_change FOR EACH ROW EXECUTE FUNCTION baton_admit();

-- As before, but nothing is added to a run that was cancelled or waits for a task that was cancelled meanwhile, and what the run is said to
-- be is what it is until the tasks are there.
CREATE OR REPLACE FUNCTION baton_add() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  request jsonb := NEW.request;
  v_status text;
BEGIN
  SELECT r.status INTO v_status FROM run r WHERE r.id = (request->>'run_id')::uuid FOR SHARE;
  IF request ? 'command' THEN
    INSERT INTO command (id, actor, answer) VALUES (request#>>'{command,id}', request#>>'{command,actor}', request#>'{command,answer}') ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      SELECT json_build_object('repeated', o.answer) INTO NEW.answer FROM command o WHERE o.id = request#>>'{command,id}';
      RETURN NEW;
    END IF;
  END IF;
  IF v_status = 'cancelled' THEN RAISE EXCEPTION 'the run is cancelled' USING ERRCODE = 'BA015'; END IF;
  IF EXISTS (SELECT 1 FROM (SELECT d.status FROM task d WHERE d.id IN (SELECT (e->>'depends_on_id')::uuid FROM jsonb_array_elements(request->'edges') e)
      ORDER BY d.id FOR SHARE) d WHERE d.status = 'CANCELLED') THEN
    RAISE EXCEPTION 'stale dependency' USING ERRCODE = 'BA010';
  END IF;
  NEW.answer := json_build_object('made', baton_add_tasks(request->'tasks', request->'edges', request->'by'), 'runStatus', v_status);
  RETURN NEW;
END;
$$;
