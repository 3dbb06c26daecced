import type { StateOf } from '../definition.ts';
import { defineMachine } from '../machine.ts';

/**
 * The unit of work: 12 states, 30 moves, driven by target; each pair also has one event name.
 * Source: docs/spec/kernel.md#task-transitions-binding. The two overrides are the approval subsystem's way in and a
 * person's way out of PENDING_APPROVAL, which the table itself does not touch.
 */
export const taskMachine = defineMachine({
  id: 'task',
  version: 1,
  entityType: 'task',
  drivenBy: 'target',
  states: [
    'PLANNED',
    'OPEN',
    'CLAIMED',
    'IN_PROGRESS',
    'DONE',
    'CLOSED',
    'FAILED',
    'BLOCKED',
    'WAITING_FOR_SUBTASKS',
    'CANCELLED',
    'ORPHANED',
    'PENDING_APPROVAL',
  ],
  initial: ['OPEN', 'PLANNED'],
  terminal: ['CLOSED', 'CANCELLED', 'PENDING_APPROVAL'],
  groups: {},
  rules: [
    { from: 'PLANNED', on: 'approve', to: 'OPEN', note: 'Human approves the planned task' },
    { from: 'PLANNED', on: 'reject', to: 'CANCELLED', note: 'Human rejects the planned task' },
    { from: 'OPEN', on: 'claim', to: 'CLAIMED', note: 'Agent claims the task' },
    {
      from: 'OPEN',
      on: 'decompose',
      to: 'WAITING_FOR_SUBTASKS',
      note: 'Task decomposed before agent assignment',
    },
    { from: 'OPEN', on: 'cancel', to: 'CANCELLED', note: 'Manual cancellation' },
    { from: 'CLAIMED', on: 'start', to: 'IN_PROGRESS', note: 'Agent begins execution' },
    { from: 'CLAIMED', on: 'release', to: 'OPEN', note: 'Unclaim / force-reassign to different agent' },
    { from: 'CLAIMED', on: 'complete', to: 'DONE', note: 'Fast completion (task was trivial)' },
    { from: 'CLAIMED', on: 'fail', to: 'FAILED', note: 'Immediate failure (e.g., scope violation)' },
    { from: 'CLAIMED', on: 'cancel', to: 'CANCELLED', note: 'Manual cancellation' },
    { from: 'CLAIMED', on: 'decompose', to: 'WAITING_FOR_SUBTASKS', note: 'Agent splits task into subtasks' },
    { from: 'CLAIMED', on: 'block', to: 'BLOCKED', note: 'Dependency discovered after claim' },
    { from: 'IN_PROGRESS', on: 'complete', to: 'DONE', note: 'Agent reports successful completion' },
    { from: 'IN_PROGRESS', on: 'fail', to: 'FAILED', note: 'Agent reports failure' },
    { from: 'IN_PROGRESS', on: 'block', to: 'BLOCKED', note: 'External dependency blocks progress' },
    {
      from: 'IN_PROGRESS',
      on: 'decompose',
      to: 'WAITING_FOR_SUBTASKS',
      note: 'Agent decomposes task mid-execution',
    },
    { from: 'IN_PROGRESS', on: 'release', to: 'OPEN', note: 'Force-requeue for different agent' },
    { from: 'IN_PROGRESS', on: 'cancel', to: 'CANCELLED', note: 'Manual cancellation' },
    { from: 'IN_PROGRESS', on: 'crash', to: 'ORPHANED', note: 'Heartbeat timeout / agent crash detected' },
    { from: 'ORPHANED', on: 'salvage', to: 'DONE', note: 'Partial work saved and merged' },
    { from: 'ORPHANED', on: 'fail', to: 'FAILED', note: 'Crash recovery failed' },
    { from: 'ORPHANED', on: 'retry', to: 'OPEN', note: 'Requeued for retry by another agent' },
    { from: 'BLOCKED', on: 'unblock', to: 'OPEN', note: 'Blocking dependency resolved' },
    { from: 'BLOCKED', on: 'cancel', to: 'CANCELLED', note: 'Manual cancellation' },
    { from: 'WAITING_FOR_SUBTASKS', on: 'subtasks_done', to: 'DONE', note: 'All child subtasks completed' },
    {
      from: 'WAITING_FOR_SUBTASKS',
      on: 'subtask_timeout',
      to: 'BLOCKED',
      note: 'Subtask timeout escalation',
    },
    { from: 'WAITING_FOR_SUBTASKS', on: 'cancel', to: 'CANCELLED', note: 'Manual cancellation' },
    { from: 'FAILED', on: 'retry', to: 'OPEN', note: 'Retry (respects max_retries, default 3)' },
    { from: 'DONE', on: 'verify_pass', to: 'CLOSED', note: 'Janitor verification passed + branch merged' },
    { from: 'DONE', on: 'verify_reject', to: 'FAILED', note: 'Janitor verification rejected the result' },
  ],
  aliases: [],
  overrides: [
    {
      event: 'request_approval',
      from: 'DONE',
      to: 'PENDING_APPROVAL',
      note: 'Approval subsystem asks a human',
    },
    { event: 'resolve_approval', from: 'PENDING_APPROVAL', to: 'DONE', note: 'A human decided, by name' },
  ],
  error: 'IllegalTransitionError',
});

/** The 12 task states. */
export type TaskStatus = StateOf<typeof taskMachine>;
