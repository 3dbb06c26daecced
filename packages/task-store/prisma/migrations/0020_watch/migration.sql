-- The guards of the status columns watch hands that write to the tables; what the doors write is made from its events. Now that one
-- statement carries many rows, a condition (read once a statement) costs less than a call for each row.
DROP TRIGGER task_status_insert ON task;
CREATE TRIGGER task_status_insert AFTER INSERT ON task FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION baton_check_task_status();
DROP TRIGGER task_status_update ON task;
CREATE TRIGGER task_status_update AFTER UPDATE OF status, version ON task FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION baton_check_task_status();
DROP TRIGGER attempt_turn_status_insert ON attempt;
CREATE TRIGGER attempt_turn_status_insert AFTER INSERT ON attempt FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION baton_check_attempt_turn_status();
DROP TRIGGER attempt_turn_status_update ON attempt;
CREATE TRIGGER attempt_turn_status_update AFTER UPDATE OF turn_status, turn_seq ON attempt FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION baton_check_attempt_turn_status();
DROP TRIGGER agent_session_status_insert ON agent_session;
CREATE TRIGGER agent_session_status_insert AFTER INSERT ON agent_session FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION baton_check_agent_session_status();
DROP TRIGGER agent_session_status_update ON agent_session;
CREATE TRIGGER agent_session_status_update AFTER UPDATE OF status, status_seq ON agent_session FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION baton_check_agent_session_status();
DROP TRIGGER agent_session_execution_state_insert ON agent_session;
CREATE TRIGGER agent_session_execution_state_insert AFTER INSERT ON agent_session FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION baton_check_agent_session_execution_state();
DROP TRIGGER agent_session_execution_state_update ON agent_session;
CREATE TRIGGER agent_session_execution_state_update AFTER UPDATE OF execution_state, execution_seq ON agent_session FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION baton_check_agent_session_execution_state();
DROP TRIGGER run_status_insert ON run;
CREATE TRIGGER run_status_insert AFTER INSERT ON run FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION baton_check_run_status();
DROP TRIGGER run_status_update ON run;
CREATE TRIGGER run_status_update AFTER UPDATE OF status, seq ON run FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION baton_check_run_status();
