-- Written by scripts/write-sql.ts from the coupled moves of src/moves; a test holds both equal. Don't edit.

-- The steps of all facts, beside all that an open attempt can reach (docs/evidence/coupled-rows.md).

SELECT baton_add_steps(array_agg(k.n::smallint ORDER BY k.n), array_agg(k.key ORDER BY k.n), false)
  FROM unnest(ARRAY[
  'task|||||late_report||',
  'task|||||refused||',
  'task||created||OPEN|created||',
  'task||created||PLANNED|created||',
  'run||created||running|created||',
  'run|cancelled|budget||cancelled|move||',
  'run|cancelled|cancel||done|move||',
  'run|cancelled|cancel||failed|move||',
  'run|cancelled|cancel||paused|move||',
  'run|cancelled|cancel||running|move||',
  'run|cancelled|cancel||stuck|move||',
  'run|cancelled|cancel||waiting|move||',
  'run|cancelled|fail||done|move||',
  'run|cancelled|fail||failed|move||',
  'run|cancelled|fail||paused|move||',
  'run|cancelled|fail||running|move||',
  'run|cancelled|fail||stuck|move||',
  'run|cancelled|fail||waiting|move||',
  'run|cancelled|pause||done|move||',
  'run|cancelled|pause||failed|move||',
  'run|cancelled|pause||paused|move||',
  'run|cancelled|pause||running|move||',
  'run|cancelled|pause||stuck|move||',
  'run|cancelled|pause||waiting|move||',
  'run|cancelled|reopen||done|move||',
  'run|cancelled|reopen||failed|move||',
  'run|cancelled|reopen||paused|move||',
  'run|cancelled|reopen||running|move||',
  'run|cancelled|reopen||stuck|move||',
  'run|cancelled|reopen||waiting|move||',
  'run|cancelled|resume||done|move||',
  'run|cancelled|resume||failed|move||',
  'run|cancelled|resume||paused|move||',
  'run|cancelled|resume||running|move||',
  'run|cancelled|resume||stuck|move||',
  'run|cancelled|resume||waiting|move||',
  'run|cancelled|settle||done|move||',
  'run|cancelled|settle||failed|move||',
  'run|cancelled|settle||paused|move||',
  'run|cancelled|settle||running|move||',
  'run|cancelled|settle||stuck|move||',
  'run|cancelled|settle||waiting|move||',
  'run|done|budget||done|move||',
  'run|done|cancel||cancelled|move||',
  'run|done|cancel||failed|move||',
  'run|done|cancel||paused|move||',
  'run|done|cancel||running|move||',
  'run|done|cancel||stuck|move||',
  'run|done|cancel||waiting|move||',
  'run|done|fail||cancelled|move||',
  'run|done|fail||failed|move||',
  'run|done|fail||paused|move||',
  'run|done|fail||running|move||',
  'run|done|fail||stuck|move||',
  'run|done|fail||waiting|move||',
  'run|done|pause||cancelled|move||',
  'run|done|pause||failed|move||',
  'run|done|pause||paused|move||',
  'run|done|pause||running|move||',
  'run|done|pause||stuck|move||',
  'run|done|pause||waiting|move||',
  'run|done|reopen||cancelled|move||',
  'run|done|reopen||failed|move||',
  'run|done|reopen||paused|move||',
  'run|done|reopen||running|move||',
  'run|done|reopen||stuck|move||',
  'run|done|reopen||waiting|move||',
  'run|done|resume||cancelled|move||',
  'run|done|resume||failed|move||',
  'run|done|resume||paused|move||',
  'run|done|resume||running|move||',
  'run|done|resume||stuck|move||',
  'run|done|resume||waiting|move||',
  'run|done|settle||cancelled|move||',
  'run|done|settle||failed|move||',
  'run|done|settle||paused|move||',
  'run|done|settle||running|move||',
  'run|done|settle||stuck|move||',
  'run|done|settle||waiting|move||',
  'run|failed|budget||failed|move||',
  'run|failed|cancel||cancelled|move||',
  'run|failed|cancel||done|move||',
  'run|failed|cancel||paused|move||',
  'run|failed|cancel||running|move||',
  'run|failed|cancel||stuck|move||',
  'run|failed|cancel||waiting|move||',
  'run|failed|fail||cancelled|move||',
  'run|failed|fail||done|move||',
  'run|failed|fail||paused|move||',
  'run|failed|fail||running|move||',
  'run|failed|fail||stuck|move||',
  'run|failed|fail||waiting|move||',
  'run|failed|pause||cancelled|move||',
  'run|failed|pause||done|move||',
  'run|failed|pause||paused|move||',
  'run|failed|pause||running|move||',
  'run|failed|pause||stuck|move||',
  'run|failed|pause||waiting|move||',
  'run|failed|reopen||cancelled|move||',
  'run|failed|reopen||done|move||',
  'run|failed|reopen||paused|move||',
  'run|failed|reopen||running|move||',
  'run|failed|reopen||stuck|move||',
  'run|failed|reopen||waiting|move||',
  'run|failed|resume||cancelled|move||',
  'run|failed|resume||done|move||',
  'run|failed|resume||paused|move||',
  'run|failed|resume||running|move||',
  'run|failed|resume||stuck|move||',
  'run|failed|resume||waiting|move||',
  'run|failed|settle||cancelled|move||',
  'run|failed|settle||done|move||',
  'run|failed|settle||paused|move||',
  'run|failed|settle||running|move||',
  'run|failed|settle||stuck|move||',
  'run|failed|settle||waiting|move||',
  'run|paused|budget||paused|move||',
  'run|paused|cancel||cancelled|move||',
  'run|paused|cancel||done|move||',
  'run|paused|cancel||failed|move||',
  'run|paused|cancel||running|move||',
  'run|paused|cancel||stuck|move||',
  'run|paused|cancel||waiting|move||',
  'run|paused|fail||cancelled|move||',
  'run|paused|fail||done|move||',
  'run|paused|fail||failed|move||',
  'run|paused|fail||running|move||',
  'run|paused|fail||stuck|move||',
  'run|paused|fail||waiting|move||',
  'run|paused|pause||cancelled|move||',
  'run|paused|pause||done|move||',
  'run|paused|pause||failed|move||',
  'run|paused|pause||running|move||',
  'run|paused|pause||stuck|move||',
  'run|paused|pause||waiting|move||',
  'run|paused|reopen||cancelled|move||',
  'run|paused|reopen||done|move||',
  'run|paused|reopen||failed|move||',
  'run|paused|reopen||running|move||',
  'run|paused|reopen||stuck|move||',
  'run|paused|reopen||waiting|move||',
  'run|paused|resume||cancelled|move||',
  'run|paused|resume||done|move||',
  'run|paused|resume||failed|move||',
  'run|paused|resume||running|move||',
  'run|paused|resume||stuck|move||',
  'run|paused|resume||waiting|move||',
  'run|paused|settle||cancelled|move||',
  'run|paused|settle||done|move||',
  'run|paused|settle||failed|move||',
  'run|paused|settle||running|move||',
  'run|paused|settle||stuck|move||',
  'run|paused|settle||waiting|move||',
  'run|running|budget||running|move||',
  'run|running|cancel||cancelled|move||',
  'run|running|cancel||done|move||',
  'run|running|cancel||failed|move||',
  'run|running|cancel||paused|move||',
  'run|running|cancel||stuck|move||',
  'run|running|cancel||waiting|move||',
  'run|running|fail||cancelled|move||',
  'run|running|fail||done|move||',
  'run|running|fail||failed|move||',
  'run|running|fail||paused|move||',
  'run|running|fail||stuck|move||',
  'run|running|fail||waiting|move||',
  'run|running|pause||cancelled|move||',
  'run|running|pause||done|move||',
  'run|running|pause||failed|move||',
  'run|running|pause||paused|move||',
  'run|running|pause||stuck|move||',
  'run|running|pause||waiting|move||',
  'run|running|reopen||cancelled|move||',
  'run|running|reopen||done|move||',
  'run|running|reopen||failed|move||',
  'run|running|reopen||paused|move||',
  'run|running|reopen||stuck|move||',
  'run|running|reopen||waiting|move||',
  'run|running|resume||cancelled|move||',
  'run|running|resume||done|move||',
  'run|running|resume||failed|move||',
  'run|running|resume||paused|move||',
  'run|running|resume||stuck|move||',
  'run|running|resume||waiting|move||',
  'run|running|settle||cancelled|move||',
  'run|running|settle||done|move||',
  'run|running|settle||failed|move||',
  'run|running|settle||paused|move||',
  'run|running|settle||stuck|move||',
  'run|running|settle||waiting|move||',
  'run|stuck|budget||stuck|move||',
  'run|stuck|cancel||cancelled|move||',
  'run|stuck|cancel||done|move||',
  'run|stuck|cancel||failed|move||',
  'run|stuck|cancel||paused|move||',
  'run|stuck|cancel||running|move||',
  'run|stuck|cancel||waiting|move||',
  'run|stuck|fail||cancelled|move||',
  'run|stuck|fail||done|move||',
  'run|stuck|fail||failed|move||',
  'run|stuck|fail||paused|move||',
  'run|stuck|fail||running|move||',
  'run|stuck|fail||waiting|move||',
  'run|stuck|pause||cancelled|move||',
  'run|stuck|pause||done|move||',
  'run|stuck|pause||failed|move||',
  'run|stuck|pause||paused|move||',
  'run|stuck|pause||running|move||',
  'run|stuck|pause||waiting|move||',
  'run|stuck|reopen||cancelled|move||',
  'run|stuck|reopen||done|move||',
  'run|stuck|reopen||failed|move||',
  'run|stuck|reopen||paused|move||',
  'run|stuck|reopen||running|move||',
  'run|stuck|reopen||waiting|move||',
  'run|stuck|resume||cancelled|move||',
  'run|stuck|resume||done|move||',
  'run|stuck|resume||failed|move||',
  'run|stuck|resume||paused|move||',
  'run|stuck|resume||running|move||',
  'run|stuck|resume||waiting|move||',
  'run|stuck|settle||cancelled|move||',
  'run|stuck|settle||done|move||',
  'run|stuck|settle||failed|move||',
  'run|stuck|settle||paused|move||',
  'run|stuck|settle||running|move||',
  'run|stuck|settle||waiting|move||',
  'run|waiting|budget||waiting|move||',
  'run|waiting|cancel||cancelled|move||',
  'run|waiting|cancel||done|move||',
  'run|waiting|cancel||failed|move||',
  'run|waiting|cancel||paused|move||',
  'run|waiting|cancel||running|move||',
  'run|waiting|cancel||stuck|move||',
  'run|waiting|fail||cancelled|move||',
  'run|waiting|fail||done|move||',
  'run|waiting|fail||failed|move||',
  'run|waiting|fail||paused|move||',
  'run|waiting|fail||running|move||',
  'run|waiting|fail||stuck|move||',
  'run|waiting|pause||cancelled|move||',
  'run|waiting|pause||done|move||',
  'run|waiting|pause||failed|move||',
  'run|waiting|pause||paused|move||',
  'run|waiting|pause||running|move||',
  'run|waiting|pause||stuck|move||',
  'run|waiting|reopen||cancelled|move||',
  'run|waiting|reopen||done|move||',
  'run|waiting|reopen||failed|move||',
  'run|waiting|reopen||paused|move||',
  'run|waiting|reopen||running|move||',
  'run|waiting|reopen||stuck|move||',
  'run|waiting|resume||cancelled|move||',
  'run|waiting|resume||done|move||',
  'run|waiting|resume||failed|move||',
  'run|waiting|resume||paused|move||',
  'run|waiting|resume||running|move||',
  'run|waiting|resume||stuck|move||',
  'run|waiting|settle||cancelled|move||',
  'run|waiting|settle||done|move||',
  'run|waiting|settle||failed|move||',
  'run|waiting|settle||paused|move||',
  'run|waiting|settle||running|move||',
  'run|waiting|settle||stuck|move||',
  'agent|idle|recycle||dead|move|| execution|busy|fail||failed|move|disconnected|',
  'agent|idle|recycle||dead|move|| execution|busy|fail||failed|move|process_crashed|',
  'agent|idle|recycle||dead|move|| execution|busy|fail||failed|move|reconciliation|',
  'agent|idle|recycle||dead|move|| execution|busy|stop||stopped|move|process_exited|',
  'agent|idle|recycle||dead|move|| execution|busy|stop||stopped|move|user_terminated|',
  'agent|idle|recycle||dead|move|| execution|idle|fail||failed|move|disconnected|',
  'agent|idle|recycle||dead|move|| execution|idle|fail||failed|move|process_crashed|',
  'agent|idle|recycle||dead|move|| execution|idle|fail||failed|move|reconciliation|',
  'agent|idle|recycle||dead|move|| execution|idle|stop||stopped|move|process_exited|',
  'agent|idle|recycle||dead|move|| execution|idle|stop||stopped|move|user_terminated|',
  'agent|idle|recycle||dead|move|| execution|suspended|fail||failed|move|disconnected|',
  'agent|idle|recycle||dead|move|| execution|suspended|fail||failed|move|process_crashed|',
  'agent|idle|recycle||dead|move|| execution|suspended|fail||failed|move|reconciliation|',
  'agent|idle|recycle||dead|move|| execution|suspended|stop||stopped|move|process_exited|',
  'agent|idle|recycle||dead|move|| execution|suspended|stop||stopped|move|user_terminated|',
  'agent|idle|task_assigned||working|move|| task|CLAIMED|start||IN_PROGRESS|move|| '
    'turn|CLAIMING|agent_spawned||SPAWNING|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'execution|idle|prompt||busy|move|prompt_received|',
  'agent|idle|task_assigned||working|move|| task|CLAIMED|start||IN_PROGRESS|move|| '
    'turn|SPAWNING|agent_spawned||RUNNING|move|| execution|idle|prompt||busy|move|prompt_received|',
  'agent|starting|spawn_failed||dead|move|| execution|starting|fail||failed|move|disconnected|',
  'agent|starting|spawn_failed||dead|move|| execution|starting|fail||failed|move|process_crashed|',
  'agent|starting|spawn_failed||dead|move|| execution|starting|fail||failed|move|process_exited|',
  'agent|starting|spawn_failed||dead|move|| execution|starting|fail||failed|move|reconciliation|',
  'agent|starting|spawn_failed||dead|move|| execution|starting|fail||failed|move|user_terminated|',
  'agent|working|task_finished||idle|move||',
  'agent|working|terminate||dead|move|| execution|busy|fail||failed|move|disconnected|',
  'agent|working|terminate||dead|move|| execution|busy|fail||failed|move|process_crashed|',
  'agent|working|terminate||dead|move|| execution|busy|fail||failed|move|reconciliation|',
  'agent|working|terminate||dead|move|| execution|busy|stop||stopped|move|process_exited|',
  'agent|working|terminate||dead|move|| execution|busy|stop||stopped|move|user_terminated|',
  'agent|working|terminate||dead|move|| execution|idle|fail||failed|move|disconnected|',
  'agent|working|terminate||dead|move|| execution|idle|fail||failed|move|process_crashed|',
  'agent|working|terminate||dead|move|| execution|idle|fail||failed|move|reconciliation|',
  'agent|working|terminate||dead|move|| execution|idle|stop||stopped|move|process_exited|',
  'agent|working|terminate||dead|move|| execution|idle|stop||stopped|move|user_terminated|',
  'agent|working|terminate||dead|move|| execution|suspended|fail||failed|move|disconnected|',
  'agent|working|terminate||dead|move|| execution|suspended|fail||failed|move|process_crashed|',
  'agent|working|terminate||dead|move|| execution|suspended|fail||failed|move|reconciliation|',
  'agent|working|terminate||dead|move|| execution|suspended|stop||stopped|move|process_exited|',
  'agent|working|terminate||dead|move|| execution|suspended|stop||stopped|move|user_terminated|',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|block||BLOCKED|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|block||BLOCKED|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|cancel||CANCELLED|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|cancel||CANCELLED|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|cancel||CANCELLED|move||aborted '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|cancel||CANCELLED|move||aborted '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|fail||FAILED|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|fail||FAILED|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|release||OPEN|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|release||OPEN|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|release||OPEN|move||retry '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|release||OPEN|move||retry '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|block||BLOCKED|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|block||BLOCKED|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|block||BLOCKED|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|cancel||CANCELLED|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|cancel||CANCELLED|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|cancel||CANCELLED|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|cancel||CANCELLED|move||aborted '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|cancel||CANCELLED|move||aborted '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|cancel||CANCELLED|move||aborted '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|release||OPEN|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|release||OPEN|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|release||OPEN|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|release||OPEN|move||retry '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|release||OPEN|move||retry '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|release||OPEN|move||retry '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|pending|fail||failed|move|disconnected|',
  'execution|pending|fail||failed|move|process_crashed|',
  'execution|pending|fail||failed|move|process_exited|',
  'execution|pending|fail||failed|move|reconciliation|',
  'execution|pending|fail||failed|move|user_terminated|',
  'execution|starting|connect||idle|move|result_received| task|IN_PROGRESS|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|block||BLOCKED|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|block||BLOCKED|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|cancel||CANCELLED|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|cancel||CANCELLED|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|cancel||CANCELLED|move||aborted '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|cancel||CANCELLED|move||aborted '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|fail||FAILED|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|fail||FAILED|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|release||OPEN|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|release||OPEN|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|release||OPEN|move||retry '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|release||OPEN|move||retry '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|block||BLOCKED|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|block||BLOCKED|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|block||BLOCKED|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|cancel||CANCELLED|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|cancel||CANCELLED|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|cancel||CANCELLED|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|cancel||CANCELLED|move||aborted '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|cancel||CANCELLED|move||aborted '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|cancel||CANCELLED|move||aborted '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|release||OPEN|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|release||OPEN|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|release||OPEN|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|release||OPEN|move||retry '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|release||OPEN|move||retry '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|release||OPEN|move||retry '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|result_received| task|IN_PROGRESS|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'task|BLOCKED|cancel||CANCELLED|move||aborted',
  'task|BLOCKED|unblock||OPEN|move||',
  'task|BLOCKED|unblock||OPEN|move|| task|OPEN|decompose||WAITING_FOR_SUBTASKS|move||',
  'task|CLAIMED|block||BLOCKED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|block||BLOCKED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|cancel||CANCELLED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|cancel||CANCELLED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| task|FAILED|retry||OPEN|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| task|FAILED|retry||OPEN|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| task|FAILED|retry||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| task|FAILED|retry||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|release||OPEN|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|CLAIMING|agent_spawned||SPAWNING|move|| '
    'turn|SPAWNING|agent_spawned||RUNNING|move||',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|CLAIMING|agent_spawned||SPAWNING|move|| '
    'turn|SPAWNING|agent_spawned||RUNNING|move|| agent|idle|task_assigned||working|move|| '
    'execution|busy|finish||idle|move|connected| execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|CLAIMING|agent_spawned||SPAWNING|move|| '
    'turn|SPAWNING|agent_spawned||RUNNING|move|| agent|idle|task_assigned||working|move|| '
    'execution|suspended|settle||idle|move|connected| execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|CLAIMING|agent_spawned||SPAWNING|move|| '
    'turn|SPAWNING|agent_spawned||RUNNING|move|| agent|starting|ready||working|move|| '
    'execution|starting|connect||idle|move|connected| execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|CLAIMING|agent_spawned||SPAWNING|move|| '
    'turn|SPAWNING|agent_spawned||RUNNING|move|| execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|SPAWNING|agent_spawned||RUNNING|move||',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'agent|idle|task_assigned||working|move|| execution|busy|finish||idle|move|connected| '
    'execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'agent|idle|task_assigned||working|move|| execution|suspended|settle||idle|move|connected| '
    'execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'agent|starting|ready||working|move|| execution|starting|connect||idle|move|connected| '
    'execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'execution|idle|prompt||busy|move|prompt_received|',
  'task|DONE|request_approval||PENDING_APPROVAL|override||',
  'task|DONE|verify_pass||CLOSED|move||completed',
  'task|DONE|verify_pass||CLOSED|move||completed turn|VERIFYING|task_completed||COMPLETING|move|| '
    'turn|COMPLETING|agent_reaped||REAPED|move||',
  'task|DONE|verify_reject||FAILED|move||',
  'task|DONE|verify_reject||FAILED|move|| task|FAILED|retry||OPEN|move||',
  'task|DONE|verify_reject||FAILED|move|| task|FAILED|retry||OPEN|move|| '
    'turn|VERIFYING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|DONE|verify_reject||FAILED|move|| task|FAILED|retry||OPEN|move||retry',
  'task|DONE|verify_reject||FAILED|move|| task|FAILED|retry||OPEN|move||retry '
    'turn|VERIFYING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|DONE|verify_reject||FAILED|move|| turn|VERIFYING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|DONE|verify_reject||FAILED|move||aborted',
  'task|DONE|verify_reject||FAILED|move||aborted turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|DONE|verify_reject||FAILED|move||aborted turn|VERIFYING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|FAILED|retry||OPEN|move||',
  'task|IN_PROGRESS|block||BLOCKED|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|block||BLOCKED|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|block||BLOCKED|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move||aborted turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move||aborted turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move||aborted turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'task|IN_PROGRESS|crash||ORPHANED|move||',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| task|FAILED|retry||OPEN|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| task|FAILED|retry||OPEN|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| task|FAILED|retry||OPEN|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| task|FAILED|retry||OPEN|move||retry '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| task|FAILED|retry||OPEN|move||retry '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| task|FAILED|retry||OPEN|move||retry '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|release||OPEN|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|release||OPEN|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|release||OPEN|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|release||OPEN|move||retry turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|release||OPEN|move||retry turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|release||OPEN|move||retry turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|OPEN|cancel||CANCELLED|move||aborted',
  'task|OPEN|claim||CLAIMED|move|| turn|IDLE|task_claimed||CLAIMING|move||',
  'task|ORPHANED|fail||FAILED|move|| task|FAILED|retry||OPEN|move||orphan_recovered '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move|| task|FAILED|retry||OPEN|move||orphan_recovered '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move|| task|FAILED|retry||OPEN|move||orphan_recovered '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move||aborted turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move||aborted turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move||aborted turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|retry||OPEN|move||orphan_recovered turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|retry||OPEN|move||orphan_recovered turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|retry||OPEN|move||orphan_recovered turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|salvage||DONE|move||orphan_recovered '
    'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'task|ORPHANED|salvage||DONE|move||orphan_recovered turn|RUNNING|verify_requested||VERIFYING|move||',
  'task|ORPHANED|salvage||DONE|move||orphan_recovered turn|TOOL_USE|tool_completed||RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override||',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override|| task|DONE|verify_reject||FAILED|move||',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override|| task|DONE|verify_reject||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override|| task|DONE|verify_reject||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|VERIFYING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override|| task|DONE|verify_reject||FAILED|move|| '
    'turn|VERIFYING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override|| task|DONE|verify_reject||FAILED|move||aborted',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override|| task|DONE|verify_reject||FAILED|move||aborted '
    'turn|VERIFYING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|PLANNED|approve||OPEN|move||',
  'task|PLANNED|reject||CANCELLED|move||',
  'task|PLANNED|reject||CANCELLED|move||aborted',
  'task|WAITING_FOR_SUBTASKS|cancel||CANCELLED|move||aborted',
  'task|WAITING_FOR_SUBTASKS|subtask_timeout||BLOCKED|move||',
  'task|WAITING_FOR_SUBTASKS|subtasks_done||DONE|move||completed',
  'turn|CLAIMING|agent_spawned||SPAWNING|move|| agent||created||starting|created|| '
    'execution|failed|restart||starting|move|spawn|',
  'turn|CLAIMING|agent_spawned||SPAWNING|move|| agent||created||starting|created|| '
    'execution|pending|start||starting|move|spawn|',
  'turn|CLAIMING|agent_spawned||SPAWNING|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'agent|idle|task_assigned||working|move|| task|CLAIMED|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|CLAIMING|agent_spawned||SPAWNING|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'agent|starting|ready||working|move|| execution|starting|connect||idle|move|connected| '
    'task|CLAIMED|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|CLAIMING|agent_spawned||SPAWNING|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'task|CLAIMED|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'execution|idle|prompt||busy|move|context_cleared|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'execution|starting|connect||idle|move|result_received| task|IN_PROGRESS|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'execution|suspended|resume||busy|move|context_cleared|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'execution|suspended|resume||busy|move|context_cleared| execution|busy|finish||idle|move|result_received| '
    'task|IN_PROGRESS|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'task|IN_PROGRESS|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|busy|finish||idle|move|context_cleared|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|pending|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|pending|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|pending|fail||failed|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|pending|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|pending|fail||failed|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|starting|connect||idle|move|context_cleared|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|suspended|settle||idle|move|context_cleared|',
  'turn|RUNNING|compact_needed||COMPACTING|move||',
  'turn|RUNNING|compact_needed||COMPACTING|move|| execution|busy|suspend||suspended|move|context_cleared|',
  'turn|RUNNING|compact_needed||COMPACTING|move|| execution|idle|suspend||suspended|move|context_cleared|',
  'turn|RUNNING|tool_started||TOOL_USE|move||',
  'turn|SPAWNING|agent_spawned||RUNNING|move|| agent|idle|task_assigned||working|move|| '
    'task|CLAIMED|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|SPAWNING|agent_spawned||RUNNING|move|| agent|starting|ready||working|move|| '
    'execution|starting|connect||idle|move|connected| task|CLAIMED|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|SPAWNING|agent_spawned||RUNNING|move|| agent||created||starting|created|| '
    'execution|failed|restart||starting|move|spawn|',
  'turn|SPAWNING|agent_spawned||RUNNING|move|| agent||created||starting|created|| '
    'execution|pending|start||starting|move|spawn|',
  'turn|SPAWNING|agent_spawned||RUNNING|move|| task|CLAIMED|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| execution|busy|finish||idle|move|result_received| '
    'task|IN_PROGRESS|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| execution|starting|connect||idle|move|result_received| '
    'task|IN_PROGRESS|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| execution|suspended|settle||idle|move|result_received| '
    'task|IN_PROGRESS|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| task|IN_PROGRESS|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| turn|RUNNING|compact_needed||COMPACTING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| turn|RUNNING|compact_needed||COMPACTING|move|| '
    'execution|busy|suspend||suspended|move|context_cleared|',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| turn|RUNNING|compact_needed||COMPACTING|move|| '
    'execution|idle|suspend||suspended|move|context_cleared|',
  'turn|VERIFYING|compact_needed||RUNNING|move|| turn|RUNNING|compact_needed||COMPACTING|move||',
  'turn|VERIFYING|compact_needed||RUNNING|move|| turn|RUNNING|compact_needed||COMPACTING|move|| '
    'execution|busy|suspend||suspended|move|context_cleared|',
  'turn|VERIFYING|compact_needed||RUNNING|move|| turn|RUNNING|compact_needed||COMPACTING|move|| '
    'execution|idle|suspend||suspended|move|context_cleared|'
]) WITH ORDINALITY AS k(key, n);

-- Single moves, of records that were written before a change was one row.
SELECT baton_add_steps(array_agg((10000 + k.n)::smallint ORDER BY k.n), array_agg(k.key ORDER BY k.n), true)
  FROM unnest(ARRAY[
  'agent|idle|recycle||dead|move||',
  'agent|idle|task_assigned||working|move||',
  'agent|starting|ready||working|move||',
  'agent|starting|spawn_failed||dead|move||',
  'agent|working|terminate||dead|move||',
  'execution|busy|fail||failed|move||',
  'execution|busy|finish||idle|move||',
  'execution|busy|stop||stopped|move||',
  'execution|busy|suspend||suspended|move||',
  'execution|failed|restart||starting|move||',
  'execution|idle|fail||failed|move||',
  'execution|idle|prompt||busy|move||',
  'execution|idle|stop||stopped|move||',
  'execution|idle|suspend||suspended|move||',
  'execution|pending|fail||failed|move||',
  'execution|pending|start||starting|move||',
  'execution|starting|connect||idle|move||',
  'execution|starting|fail||failed|move||',
  'execution|stopped|restart||starting|move||',
  'execution|suspended|fail||failed|move||',
  'execution|suspended|resume||busy|move||',
  'execution|suspended|settle||idle|move||',
  'execution|suspended|stop||stopped|move||',
  'task|BLOCKED|cancel||CANCELLED|move||',
  'task|CLAIMED|block||BLOCKED|move||',
  'task|CLAIMED|cancel||CANCELLED|move||',
  'task|CLAIMED|complete||DONE|move||',
  'task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move||',
  'task|CLAIMED|fail||FAILED|move||',
  'task|CLAIMED|release||OPEN|move||',
  'task|CLAIMED|start||IN_PROGRESS|move||',
  'task|DONE|verify_pass||CLOSED|move||',
  'task|IN_PROGRESS|block||BLOCKED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move||',
  'task|IN_PROGRESS|complete||DONE|move||',
  'task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move||',
  'task|IN_PROGRESS|fail||FAILED|move||',
  'task|IN_PROGRESS|release||OPEN|move||',
  'task|OPEN|cancel||CANCELLED|move||',
  'task|OPEN|claim||CLAIMED|move||',
  'task|OPEN|decompose||WAITING_FOR_SUBTASKS|move||',
  'task|ORPHANED|fail||FAILED|move||',
  'task|ORPHANED|retry||OPEN|move||',
  'task|ORPHANED|salvage||DONE|move||',
  'task|WAITING_FOR_SUBTASKS|cancel||CANCELLED|move||',
  'task|WAITING_FOR_SUBTASKS|subtasks_done||DONE|move||',
  'turn|CLAIMING|agent_spawned||SPAWNING|move||',
  'turn|CLAIMING|task_failed||FAILED|move||',
  'turn|COMPACTING|task_failed||FAILED|move||',
  'turn|COMPACTING|verify_requested||RUNNING|move||',
  'turn|COMPLETING|agent_reaped||REAPED|move||',
  'turn|FAILED|agent_reaped||REAPED|move||',
  'turn|IDLE|task_claimed||CLAIMING|move||',
  'turn|RUNNING|task_failed||FAILED|move||',
  'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|SPAWNING|agent_spawned||RUNNING|move||',
  'turn|SPAWNING|task_failed||FAILED|move||',
  'turn|TOOL_USE|task_failed||FAILED|move||',
  'turn|VERIFYING|compact_needed||RUNNING|move||',
  'turn|VERIFYING|task_completed||COMPLETING|move||',
  'turn|VERIFYING|task_failed||FAILED|move||',
  'agent||created||starting|created||',
  'turn||created||IDLE|created||',
  'execution||created||pending|created||'
]) WITH ORDINALITY AS k(key, n);

-- The dictionary is whole.
CREATE TRIGGER step_seal BEFORE INSERT OR UPDATE OR DELETE ON step FOR EACH ROW EXECUTE FUNCTION baton_seal();
CREATE TRIGGER step_seal_all BEFORE TRUNCATE ON step FOR EACH STATEMENT EXECUTE FUNCTION baton_seal();
CREATE TRIGGER step_move_seal BEFORE INSERT OR UPDATE OR DELETE ON step_move FOR EACH ROW EXECUTE FUNCTION baton_seal();
CREATE TRIGGER step_move_seal_all BEFORE TRUNCATE ON step_move FOR EACH STATEMENT EXECUTE FUNCTION baton_seal();
