-- Written by scripts/write-machine-sql.ts from the tables of @baton/fsm-core; a test holds both equal. Don't edit.

-- Is this a cell of the machine's table (dynamic ones expanded), or a declared override?
CREATE FUNCTION baton_is_legal(cell text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT cell = ANY (ARRAY[
    'agent|idle|recycle||dead|move',
    'agent|idle|task_assigned||working|move',
    'agent|starting|ready||working|move',
    'agent|starting|spawn_failed||dead|move',
    'agent|working|task_finished||idle|move',
    'agent|working|terminate||dead|move',
    'cognitive|acting|STEP_COMPLETED||acting|move',
    'cognitive|acting|STEP_COMPLETED||completed|move',
    'cognitive|acting|STEP_COMPLETED||reasoning|move',
    'cognitive|acting|TASK_FAILED||failed|move',
    'cognitive|acting|TASK_SUSPENDED||suspended|move',
    'cognitive|acting|TOOL_CALL_COMPLETED||acting|move',
    'cognitive|acting|TOOL_CALL_COMPLETED||completed|move',
    'cognitive|acting|TOOL_CALL_COMPLETED||reasoning|move',
    'cognitive|acting|TOOL_CALL_FAILED||acting|move',
    'cognitive|acting|TOOL_CALL_FAILED||completed|move',
    'cognitive|acting|TOOL_CALL_FAILED||reasoning|move',
    'cognitive|idle|TASK_CREATED||reasoning|move',
    'cognitive|idle|TASK_FAILED||failed|move',
    'cognitive|reasoning|NEED_MORE_INFO||suspended|move',
    'cognitive|reasoning|REASON_DONE||acting|move',
    'cognitive|reasoning|TASK_FAILED||failed|move',
    'cognitive|reasoning|TASK_SUSPENDED||suspended|move',
    'cognitive|suspended|MESSAGE_RECEIVED||reasoning|move',
    'cognitive|suspended|TASK_FAILED||failed|move',
    'cognitive|suspended|TASK_RESUMED||acting|move',
    'cognitive|suspended|TASK_RESUMED||reasoning|move',
    'execution|busy|fail||failed|move',
    'execution|busy|finish||idle|move',
    'execution|busy|stop||stopped|move',
    'execution|busy|suspend||suspended|move',
    'execution|failed|restart||starting|move',
    'execution|idle|fail||failed|move',
    'execution|idle|prompt||busy|move',
    'execution|idle|stop||stopped|move',
    'execution|idle|suspend||suspended|move',
    'execution|pending|fail||failed|move',
    'execution|pending|start||starting|move',
    'execution|starting|connect||idle|move',
    'execution|starting|fail||failed|move',
    'execution|stopped|restart||starting|move',
    'execution|suspended|fail||failed|move',
    'execution|suspended|resume||busy|move',
    'execution|suspended|settle||idle|move',
    'execution|suspended|stop||stopped|move',
    'task|BLOCKED|cancel||CANCELLED|move',
    'task|BLOCKED|unblock||OPEN|move',
    'task|CLAIMED|block||BLOCKED|move',
    'task|CLAIMED|cancel||CANCELLED|move',
    'task|CLAIMED|complete||DONE|move',
    'task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move',
    'task|CLAIMED|fail||FAILED|move',
    'task|CLAIMED|release||OPEN|move',
    'task|CLAIMED|start||IN_PROGRESS|move',
    'task|DONE|request_approval||PENDING_APPROVAL|override',
    'task|DONE|verify_pass||CLOSED|move',
    'task|DONE|verify_reject||FAILED|move',
    'task|FAILED|retry||OPEN|move',
    'task|IN_PROGRESS|block||BLOCKED|move',
    'task|IN_PROGRESS|cancel||CANCELLED|move',
    'task|IN_PROGRESS|complete||DONE|move',
    'task|IN_PROGRESS|crash||ORPHANED|move',
    'task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move',
    'task|IN_PROGRESS|fail||FAILED|move',
    'task|IN_PROGRESS|release||OPEN|move',
    'task|OPEN|cancel||CANCELLED|move',
    'task|OPEN|claim||CLAIMED|move',
    'task|OPEN|decompose||WAITING_FOR_SUBTASKS|move',
    'task|ORPHANED|fail||FAILED|move',
    'task|ORPHANED|retry||OPEN|move',
    'task|ORPHANED|salvage||DONE|move',
    'task|PENDING_APPROVAL|resolve_approval||DONE|override',
    'task|PLANNED|approve||OPEN|move',
    'task|PLANNED|reject||CANCELLED|move',
    'task|WAITING_FOR_SUBTASKS|cancel||CANCELLED|move',
    'task|WAITING_FOR_SUBTASKS|subtask_timeout||BLOCKED|move',
    'task|WAITING_FOR_SUBTASKS|subtasks_done||DONE|move',
    'turn|CLAIMING|agent_spawned||SPAWNING|move',
    'turn|CLAIMING|task_failed||FAILED|move',
    'turn|COMPACTING|task_failed||FAILED|move',
    'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move',
    'turn|COMPACTING|verify_requested||RUNNING|move',
    'turn|COMPLETING|agent_reaped||REAPED|move',
    'turn|FAILED|agent_reaped||REAPED|move',
    'turn|IDLE|task_claimed||CLAIMING|move',
    'turn|RUNNING|compact_needed||COMPACTING|move',
    'turn|RUNNING|task_failed||FAILED|move',
    'turn|RUNNING|tool_started||TOOL_USE|move',
    'turn|RUNNING|verify_requested||VERIFYING|move',
    'turn|SPAWNING|agent_spawned||RUNNING|move',
    'turn|SPAWNING|task_failed||FAILED|move',
    'turn|TOOL_USE|task_failed||FAILED|move',
    'turn|TOOL_USE|tool_completed||RUNNING|move',
    'turn|VERIFYING|compact_needed||RUNNING|move',
    'turn|VERIFYING|task_completed||COMPLETING|move',
    'turn|VERIFYING|task_failed||FAILED|move'
  ]);
$$;

CREATE FUNCTION baton_is_initial(state text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT state = ANY (ARRAY[
    'task|OPEN',
    'task|PLANNED',
    'agent|starting',
    'turn|IDLE',
    'cognitive|idle',
    'execution|pending',
    'run|running'
  ]);
$$;

CREATE FUNCTION baton_is_run_state(state text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT state IN ('running', 'paused', 'waiting', 'stuck', 'done', 'failed', 'cancelled');
$$;

-- The chain: each event's hash covers the one before it of the same entity and machine, and these fields.
CREATE FUNCTION baton_event_hash(previous text, e lifecycle_event) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT encode(sha256(convert_to(previous || jsonb_build_array(
    e.machine, e.version, e.entity_id, e.run_id, e.task_id, e.seq, e.note, e.from_state, e.to_state, e.event, e.alias, e.kind, e.actor,
    e.reason, e.transition_reason, e.abort_reason, e.trigger, e.metadata, extract(epoch FROM e.at))::text, 'UTF8')), 'hex');
$$;

CREATE FUNCTION baton_check_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
  was text;
BEGIN
  SELECT e.seq, e.note, e.to_state, e.hash INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.entity_id AND e.machine = NEW.machine ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  was := last.to_state;
  IF NEW.kind IN ('move', 'override') THEN
    IF NEW.note <> 0 OR NEW.seq <> coalesce(last.seq, 0) + 1 THEN
      RAISE EXCEPTION 'event % of % % does not follow event %', NEW.seq, NEW.machine, NEW.entity_id, last.seq
        USING ERRCODE = 'BA002';
    END IF;
    -- Without an earlier event the machine stands in its first state.
    IF was IS NULL AND baton_is_initial(NEW.machine || '|' || NEW.from_state) THEN was := NEW.from_state; END IF;
    IF NEW.from_state IS DISTINCT FROM was THEN
      RAISE EXCEPTION '% % stands in %, not in %', NEW.machine, NEW.entity_id, was, NEW.from_state USING ERRCODE = 'BA002';
    END IF;
    IF NEW.machine = 'run' THEN
      IF NOT (baton_is_run_state(NEW.from_state) AND baton_is_run_state(NEW.to_state) AND NEW.kind = 'move') THEN
        RAISE EXCEPTION 'run: % -> % is no move', NEW.from_state, NEW.to_state USING ERRCODE = 'BA001';
      END IF;
    ELSIF NOT baton_is_legal(concat_ws('|', NEW.machine, NEW.from_state, NEW.event, coalesce(NEW.alias, ''), NEW.to_state, NEW.kind)) THEN
      RAISE EXCEPTION '%: % --%--> % (%) is no move', NEW.machine, NEW.from_state, NEW.event, NEW.to_state, NEW.kind
        USING ERRCODE = 'BA001';
    END IF;
    IF NEW.machine = 'task' AND NEW.to_state = 'CLOSED' AND NOT EXISTS (
      SELECT 1 FROM landing l JOIN verdict v ON v.id = l.verdict_id
       WHERE l.task_id = NEW.entity_id AND l.confirmed_at IS NOT NULL AND v.passed AND v.tree = l.tree) THEN
      RAISE EXCEPTION 'task %: no confirmed landing with a passed verdict', NEW.entity_id USING ERRCODE = 'BA003';
    END IF;
  ELSIF NEW.kind = 'created' THEN
    IF last IS NOT NULL OR NEW.seq <> 0 OR NEW.note <> 0 OR NEW.from_state IS NOT NULL
       OR NOT baton_is_initial(NEW.machine || '|' || NEW.to_state) THEN
      RAISE EXCEPTION '% % cannot begin in %', NEW.machine, NEW.entity_id, NEW.to_state USING ERRCODE = 'BA001';
    END IF;
  ELSIF NEW.kind IN ('refused', 'late_report') THEN
    IF last IS NULL OR NEW.seq <> last.seq OR NEW.note <> last.note + 1 OR NEW.from_state <> was OR NEW.to_state <> was THEN
      RAISE EXCEPTION 'a note on % % must stand where the machine stands', NEW.machine, NEW.entity_id USING ERRCODE = 'BA002';
    END IF;
  ELSE
    RAISE EXCEPTION 'unknown kind of event: %', NEW.kind USING ERRCODE = 'BA001';
  END IF;
  NEW.at := clock_timestamp();
  NEW.hash := baton_event_hash(coalesce(last.hash, ''), NEW);
  INSERT INTO feed_queue (event_id) VALUES (NEW.id);
  RETURN NEW;
END;
$$;

CREATE TRIGGER lifecycle_event_check BEFORE INSERT ON lifecycle_event FOR EACH ROW EXECUTE FUNCTION baton_check_event();

CREATE FUNCTION baton_keep_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'lifecycle events are append-only' USING ERRCODE = 'BA004';
END;
$$;

CREATE TRIGGER lifecycle_event_keep BEFORE UPDATE OR DELETE ON lifecycle_event FOR EACH ROW EXECUTE FUNCTION baton_keep_event();

-- task.status always equals the newest event of its task machine.
CREATE FUNCTION baton_check_task_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT e.seq, e.to_state INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.id AND e.machine = 'task' ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  IF last IS NULL THEN
    RAISE EXCEPTION 'task % has no event', NEW.id USING ERRCODE = 'BA002';
  END IF;
  IF last.to_state IS DISTINCT FROM NEW.status OR last.seq IS DISTINCT FROM NEW.version THEN
    RAISE EXCEPTION 'task %: column says % (%), newest event says % (%)', NEW.id, NEW.status, NEW.version, last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER task_status_insert AFTER INSERT ON task FOR EACH ROW EXECUTE FUNCTION baton_check_task_status();
CREATE TRIGGER task_status_update AFTER UPDATE OF status, version ON task FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.version IS DISTINCT FROM NEW.version) EXECUTE FUNCTION baton_check_task_status();

-- attempt.turn_status always equals the newest event of its turn machine.
CREATE FUNCTION baton_check_attempt_turn_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT e.seq, e.to_state INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.id AND e.machine = 'turn' ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  IF last IS NULL AND NEW.turn_seq = 0 AND NEW.turn_status IS NOT DISTINCT FROM 'IDLE' THEN
    RETURN NULL;
  END IF;
  IF last.to_state IS DISTINCT FROM NEW.turn_status OR last.seq IS DISTINCT FROM NEW.turn_seq THEN
    RAISE EXCEPTION 'turn %: column says % (%), newest event says % (%)', NEW.id, NEW.turn_status, NEW.turn_seq, last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER attempt_turn_status_insert AFTER INSERT ON attempt FOR EACH ROW EXECUTE FUNCTION baton_check_attempt_turn_status();
CREATE TRIGGER attempt_turn_status_update AFTER UPDATE OF turn_status, turn_seq ON attempt FOR EACH ROW
  WHEN (OLD.turn_status IS DISTINCT FROM NEW.turn_status OR OLD.turn_seq IS DISTINCT FROM NEW.turn_seq) EXECUTE FUNCTION baton_check_attempt_turn_status();

-- agent_session.status always equals the newest event of its agent machine.
CREATE FUNCTION baton_check_agent_session_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT e.seq, e.to_state INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.id AND e.machine = 'agent' ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  IF last IS NULL AND NEW.status_seq = -1 AND NEW.status IS NOT DISTINCT FROM NULL THEN
    RETURN NULL;
  END IF;
  IF last.to_state IS DISTINCT FROM NEW.status OR last.seq IS DISTINCT FROM NEW.status_seq THEN
    RAISE EXCEPTION 'agent %: column says % (%), newest event says % (%)', NEW.id, NEW.status, NEW.status_seq, last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER agent_session_status_insert AFTER INSERT ON agent_session FOR EACH ROW EXECUTE FUNCTION baton_check_agent_session_status();
CREATE TRIGGER agent_session_status_update AFTER UPDATE OF status, status_seq ON agent_session FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.status_seq IS DISTINCT FROM NEW.status_seq) EXECUTE FUNCTION baton_check_agent_session_status();

-- agent_session.execution_state always equals the newest event of its execution machine.
CREATE FUNCTION baton_check_agent_session_execution_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT e.seq, e.to_state INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.id AND e.machine = 'execution' ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  IF last IS NULL AND NEW.execution_seq = 0 AND NEW.execution_state IS NOT DISTINCT FROM 'pending' THEN
    RETURN NULL;
  END IF;
  IF last.to_state IS DISTINCT FROM NEW.execution_state OR last.seq IS DISTINCT FROM NEW.execution_seq THEN
    RAISE EXCEPTION 'execution %: column says % (%), newest event says % (%)', NEW.id, NEW.execution_state, NEW.execution_seq, last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER agent_session_execution_state_insert AFTER INSERT ON agent_session FOR EACH ROW EXECUTE FUNCTION baton_check_agent_session_execution_state();
CREATE TRIGGER agent_session_execution_state_update AFTER UPDATE OF execution_state, execution_seq ON agent_session FOR EACH ROW
  WHEN (OLD.execution_state IS DISTINCT FROM NEW.execution_state OR OLD.execution_seq IS DISTINCT FROM NEW.execution_seq) EXECUTE FUNCTION baton_check_agent_session_execution_state();

-- run.status always equals the newest event of its run machine.
CREATE FUNCTION baton_check_run_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT e.seq, e.to_state INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.id AND e.machine = 'run' ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  IF last IS NULL THEN
    RAISE EXCEPTION 'run % has no event', NEW.id USING ERRCODE = 'BA002';
  END IF;
  IF last.to_state IS DISTINCT FROM NEW.status OR last.seq IS DISTINCT FROM NEW.seq THEN
    RAISE EXCEPTION 'run %: column says % (%), newest event says % (%)', NEW.id, NEW.status, NEW.seq, last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER run_status_insert AFTER INSERT ON run FOR EACH ROW EXECUTE FUNCTION baton_check_run_status();
CREATE TRIGGER run_status_update AFTER UPDATE OF status, seq ON run FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.seq IS DISTINCT FROM NEW.seq) EXECUTE FUNCTION baton_check_run_status();
