/**
 * The transition tables of docs/spec/kernel.md, copied by hand and independent of the definitions.
 * One line a state: `FROM: event TARGET, …`; `a|b` are the possible targets of a dynamic cell.
 */
const TASK = `
PLANNED: approve OPEN, reject CANCELLED
OPEN: claim CLAIMED, decompose WAITING_FOR_SUBTASKS, cancel CANCELLED
CLAIMED: start IN_PROGRESS, release OPEN, complete DONE, fail FAILED, cancel CANCELLED, decompose WAITING_FOR_SUBTASKS, block BLOCKED
IN_PROGRESS: complete DONE, fail FAILED, block BLOCKED, decompose WAITING_FOR_SUBTASKS, release OPEN, cancel CANCELLED, crash ORPHANED
ORPHANED: salvage DONE, fail FAILED, retry OPEN
BLOCKED: unblock OPEN, cancel CANCELLED
WAITING_FOR_SUBTASKS: subtasks_done DONE, subtask_timeout BLOCKED, cancel CANCELLED
FAILED: retry OPEN
DONE: verify_pass CLOSED, verify_reject FAILED
CLOSED:
CANCELLED:
PENDING_APPROVAL:
`;

const AGENT = `
starting: ready working, spawn_failed dead
working: task_finished idle, terminate dead
idle: task_assigned working, recycle dead
dead:
`;

const TURN = `
IDLE: task_claimed CLAIMING
CLAIMING: agent_spawned SPAWNING, task_failed FAILED
SPAWNING: agent_spawned RUNNING, task_failed FAILED
RUNNING: tool_started TOOL_USE, compact_needed COMPACTING, verify_requested VERIFYING, task_failed FAILED
TOOL_USE: tool_completed RUNNING, task_failed FAILED
COMPACTING: verify_requested RUNNING, task_failed FAILED
VERIFYING: task_completed COMPLETING, compact_needed RUNNING, task_failed FAILED
COMPLETING: agent_reaped REAPED
FAILED: agent_reaped REAPED
REAPED:
`;

const COGNITIVE = `
idle: TASK_CREATED reasoning, TASK_FAILED failed
reasoning: REASON_DONE acting, NEED_MORE_INFO suspended, TASK_SUSPENDED suspended, TASK_FAILED failed
acting: TOOL_CALL_COMPLETED acting|reasoning|completed, TOOL_CALL_FAILED acting|reasoning|completed, STEP_COMPLETED acting|reasoning|completed, TASK_SUSPENDED suspended, TASK_FAILED failed
suspended: MESSAGE_RECEIVED reasoning, TASK_RESUMED reasoning|acting, TASK_FAILED failed
completed:
failed:
`;

const EXECUTION = `
pending: start starting, fail failed
starting: connect idle, fail failed
idle: prompt busy, suspend suspended, stop stopped, fail failed
busy: finish idle, suspend suspended, stop stopped, fail failed
suspended: settle idle, resume busy, stop stopped, fail failed
stopped: restart starting
failed: restart starting
`;

/** state → event → possible targets. */
export type SeedTable = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

function parse(text: string): SeedTable {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => {
      const [state = '', cells = ''] = line.split(':');
      const moves = cells
        .split(',')
        .map((cell) => cell.trim().split(' '))
        .filter(([event]) => event !== '')
        .map(([event = '', targets = '']): [string, string[]] => [event, targets.split('|')]);
      return [state, new Map(moves)] as const;
    });
  return new Map(rows);
}

/** The five tables with the counts of docs/spec/kernel.md#machines. */
export const SEED_TABLES = [
  {
    id: 'task',
    table: parse(TASK),
    states: 12,
    cells: 30,
    terminal: ['CLOSED', 'CANCELLED', 'PENDING_APPROVAL'],
  },
  { id: 'agent', table: parse(AGENT), states: 4, cells: 6, terminal: ['dead'] },
  { id: 'turn', table: parse(TURN), states: 10, cells: 18, terminal: ['REAPED'] },
  { id: 'cognitive', table: parse(COGNITIVE), states: 6, cells: 14, terminal: ['completed', 'failed'] },
  { id: 'execution', table: parse(EXECUTION), states: 7, cells: 18, terminal: ['stopped', 'failed'] },
] as const;
