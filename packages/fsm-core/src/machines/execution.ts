import type { StateOf } from '../definition.ts';
import { defineMachine } from '../machine.ts';

/**
 * What an agent is doing right now, lifecycle and activity in one: 7 states, 18 moves, driven by target.
 * Source: docs/spec/kernel.md#execution-transitions-binding. Callers name targets only; each pair gets one event name here,
 * while what caused a move
 * is recorded as its `trigger`. Stopped and failed are terminal and still allow a restart.
 */
export const executionMachine = defineMachine({
  id: 'execution',
  version: 1,
  entityType: 'execution',
  drivenBy: 'target',
  states: ['pending', 'starting', 'idle', 'busy', 'suspended', 'stopped', 'failed'],
  initial: ['pending'],
  terminal: ['stopped', 'failed'],
  groups: { active: ['idle', 'busy', 'suspended'] },
  rules: [
    { from: 'pending', on: 'start', to: 'starting', note: 'Backend session created' },
    { from: 'pending', on: 'fail', to: 'failed', note: 'Could not be started' },
    { from: 'starting', on: 'connect', to: 'idle', note: 'Agent connected and waits for input' },
    { from: 'starting', on: 'fail', to: 'failed', note: 'Ended before it was ready' },
    { from: 'idle', on: 'prompt', to: 'busy', note: 'Prompt sent to the agent' },
    { from: 'idle', on: 'suspend', to: 'suspended', note: 'Context clear or compaction in progress' },
    { from: 'idle', on: 'stop', to: 'stopped', note: 'Exited cleanly' },
    { from: 'idle', on: 'fail', to: 'failed', note: 'Process failed or crashed' },
    { from: 'busy', on: 'finish', to: 'idle', note: 'Agent returned a result' },
    { from: 'busy', on: 'suspend', to: 'suspended', note: 'Context clear or compaction in progress' },
    { from: 'busy', on: 'stop', to: 'stopped', note: 'Exited cleanly' },
    { from: 'busy', on: 'fail', to: 'failed', note: 'Process failed or crashed' },
    { from: 'suspended', on: 'settle', to: 'idle', note: 'Continues, with nothing to do' },
    { from: 'suspended', on: 'resume', to: 'busy', note: 'Continues its prompt' },
    { from: 'suspended', on: 'stop', to: 'stopped', note: 'Exited cleanly' },
    { from: 'suspended', on: 'fail', to: 'failed', note: 'Process failed or crashed' },
    { from: 'stopped', on: 'restart', to: 'starting', exitsTerminal: true, note: 'Restart' },
    { from: 'failed', on: 'restart', to: 'starting', exitsTerminal: true, note: 'Restart' },
  ],
  aliases: [],
  overrides: [],
  error: 'ExecutionTransitionError',
});

/** The 7 execution states. */
export type ExecutionState = StateOf<typeof executionMachine>;
