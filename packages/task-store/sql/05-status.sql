-- A status column always equals the newest event of its machine, whoever writes it. The triggers watch statements
-- that write to the tables themselves; what baton_change and its like write is made from the steps. A WHEN clause is
-- read once a statement and costs less than a call for each row.

-- run.status always equals the newest event of its run machine.
CREATE FUNCTION baton_check_run_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.status IS NOT DISTINCT FROM NEW.status AND OLD.seq = NEW.seq THEN RETURN NULL; END IF;
  SELECT e.seq, e.state AS to_state INTO last FROM baton_newest('run', NEW.id) e;
  IF last IS NULL THEN RAISE EXCEPTION 'run % has no event', NEW.id USING ERRCODE = 'BA002'; END IF;
  IF last.to_state IS DISTINCT FROM NEW.status OR last.seq IS DISTINCT FROM NEW.seq THEN
    RAISE EXCEPTION 'run %: column says % (%), newest event says % (%)', NEW.id, NEW.status, NEW.seq, last.to_state,
      last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER run_status AFTER INSERT OR UPDATE OF status, seq ON run FOR EACH ROW
  WHEN (current_setting('baton.checked', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION baton_check_run_status();

-- task.status always equals the newest event of its task machine.
CREATE FUNCTION baton_check_task_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.status IS NOT DISTINCT FROM NEW.status AND OLD.version = NEW.version
    THEN RETURN NULL; END IF;
  SELECT e.seq, e.state AS to_state INTO last FROM baton_newest('task', NEW.id) e;
  IF last IS NULL THEN RAISE EXCEPTION 'task % has no event', NEW.id USING ERRCODE = 'BA002'; END IF;
  IF last.to_state IS DISTINCT FROM NEW.status OR last.seq IS DISTINCT FROM NEW.version THEN
    RAISE EXCEPTION 'task %: column says % (%), newest event says % (%)', NEW.id, NEW.status, NEW.version,
      last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER task_status AFTER INSERT OR UPDATE OF status, version ON task FOR EACH ROW
  WHEN (current_setting('baton.checked', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION baton_check_task_status();

-- attempt.turn_status always equals the newest event of its turn machine.
CREATE FUNCTION baton_check_attempt_turn_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.turn_status IS NOT DISTINCT FROM NEW.turn_status AND OLD.turn_seq = NEW.turn_seq
    THEN RETURN NULL; END IF;
  SELECT e.seq, e.state AS to_state INTO last FROM baton_newest('turn', NEW.id) e;
  IF last IS NULL AND NEW.turn_seq = 0 AND NEW.turn_status = 'IDLE' THEN RETURN NULL; END IF;
  IF last.to_state IS DISTINCT FROM NEW.turn_status OR last.seq IS DISTINCT FROM NEW.turn_seq THEN
    RAISE EXCEPTION 'turn %: column says % (%), newest event says % (%)', NEW.id, NEW.turn_status, NEW.turn_seq,
      last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER attempt_turn_status AFTER INSERT OR UPDATE OF turn_status, turn_seq ON attempt FOR EACH ROW
  WHEN (current_setting('baton.checked', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION baton_check_attempt_turn_status();

-- agent_session.status always equals the newest event of its agent machine.
CREATE FUNCTION baton_check_agent_session_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.status IS NOT DISTINCT FROM NEW.status AND OLD.status_seq = NEW.status_seq
    THEN RETURN NULL; END IF;
  SELECT e.seq, e.state AS to_state INTO last FROM baton_newest('agent', NEW.id) e;
  IF last IS NULL AND NEW.status_seq = -1 AND NEW.status IS NULL THEN RETURN NULL; END IF;
  IF last.to_state IS DISTINCT FROM NEW.status OR last.seq IS DISTINCT FROM NEW.status_seq THEN
    RAISE EXCEPTION 'agent %: column says % (%), newest event says % (%)', NEW.id, NEW.status, NEW.status_seq,
      last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER agent_session_status AFTER INSERT OR UPDATE OF status, status_seq ON agent_session FOR EACH ROW
  WHEN (current_setting('baton.checked', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION baton_check_agent_session_status();

-- agent_session.execution_state always equals the newest event of its execution machine.
CREATE FUNCTION baton_check_agent_session_execution_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.execution_state IS NOT DISTINCT FROM NEW.execution_state
    AND OLD.execution_seq = NEW.execution_seq THEN RETURN NULL; END IF;
  SELECT e.seq, e.state AS to_state INTO last FROM baton_newest('execution', NEW.id) e;
  IF last IS NULL AND NEW.execution_seq = 0 AND NEW.execution_state = 'pending' THEN RETURN NULL; END IF;
  IF last.to_state IS DISTINCT FROM NEW.execution_state OR last.seq IS DISTINCT FROM NEW.execution_seq THEN
    RAISE EXCEPTION 'execution %: column says % (%), newest event says % (%)', NEW.id, NEW.execution_state,
      NEW.execution_seq, last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER agent_session_execution_state AFTER INSERT OR UPDATE OF execution_state, execution_seq ON agent_session
  FOR EACH ROW WHEN (current_setting('baton.checked', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION baton_check_agent_session_execution_state();
