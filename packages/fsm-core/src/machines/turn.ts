import type { StateOf } from '../definition.ts';
import { defineMachine } from '../machine.ts';

/**
 * One attempt of one task inside an agent: 10 states, 18 cells, driven by event.
 * Source: docs/spec/kernel.md#turn-transitions-binding. `compact_completed` says what COMPACTING's
 * `verify_requested` means; records keep both names.
 */
export const turnMachine = defineMachine({
  id: 'turn',
  version: 1,
  entityType: 'turn',
  drivenBy: 'event',
  states: [
    'IDLE',
    'CLAIMING',
    'SPAWNING',
    'RUNNING',
    'TOOL_USE',
    'COMPACTING',
    'VERIFYING',
    'COMPLETING',
    'FAILED',
    'REAPED',
  ],
  initial: ['IDLE'],
  terminal: ['REAPED'],
  groups: {},
  rules: [
    { from: 'IDLE', on: 'task_claimed', to: 'CLAIMING', note: 'Orchestrator picks up the next open task' },
    { from: 'CLAIMING', on: 'agent_spawned', to: 'SPAWNING', note: 'Worktree ready; CLI process launched' },
    { from: 'CLAIMING', on: 'task_failed', to: 'FAILED', note: 'Worktree setup failed' },
    { from: 'SPAWNING', on: 'agent_spawned', to: 'RUNNING', note: 'Process confirmed alive and active' },
    { from: 'SPAWNING', on: 'task_failed', to: 'FAILED', note: 'Spawn error or adapter rejected the task' },
    { from: 'RUNNING', on: 'tool_started', to: 'TOOL_USE', note: 'Agent invoked a tool' },
    {
      from: 'RUNNING',
      on: 'compact_needed',
      to: 'COMPACTING',
      note: "Context window approaching the model's limit",
    },
    {
      from: 'RUNNING',
      on: 'verify_requested',
      to: 'VERIFYING',
      note: 'Agent signals it is done; verification begins',
    },
    { from: 'RUNNING', on: 'task_failed', to: 'FAILED', note: 'Runtime error or abort during execution' },
    { from: 'TOOL_USE', on: 'tool_completed', to: 'RUNNING', note: 'Tool call finished; agent resumes' },
    { from: 'TOOL_USE', on: 'task_failed', to: 'FAILED', note: 'Fatal error inside the tool invocation' },
    { from: 'COMPACTING', on: 'verify_requested', to: 'RUNNING', note: 'Compaction done; agent continues' },
    { from: 'COMPACTING', on: 'task_failed', to: 'FAILED', note: 'Compaction itself failed' },
    { from: 'VERIFYING', on: 'task_completed', to: 'COMPLETING', note: 'All completion signals satisfied' },
    { from: 'VERIFYING', on: 'compact_needed', to: 'RUNNING', note: 'Context grew; must compact first' },
    { from: 'VERIFYING', on: 'task_failed', to: 'FAILED', note: 'Janitor rejected the result' },
    { from: 'COMPLETING', on: 'agent_reaped', to: 'REAPED', note: 'Task marked done; resources cleaned up' },
    { from: 'FAILED', on: 'agent_reaped', to: 'REAPED', note: 'Error handled; resources cleaned up' },
  ],
  aliases: [{ name: 'compact_completed', as: 'verify_requested', when: ['COMPACTING'] }],
  overrides: [],
  error: 'InvalidTransitionError',
});

/** The 10 turn states. */
export type TurnState = StateOf<typeof turnMachine>;
