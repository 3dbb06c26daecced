import type { StateOf } from '../definition.ts';
import { defineMachine } from '../machine.ts';

/** One agent process: 4 states, 6 moves, driven by target. Source: docs/spec/kernel.md#agent-transitions-binding. */
export const agentMachine = defineMachine({
  id: 'agent',
  version: 1,
  entityType: 'agent',
  drivenBy: 'target',
  states: ['starting', 'working', 'idle', 'dead'],
  initial: ['starting'],
  terminal: ['dead'],
  groups: {},
  rules: [
    {
      from: 'starting',
      on: 'ready',
      to: 'working',
      note: 'Process started successfully, heartbeat received',
    },
    {
      from: 'starting',
      on: 'spawn_failed',
      to: 'dead',
      note: 'Spawn error, rate limit, or fast exit detection',
    },
    {
      from: 'working',
      on: 'task_finished',
      to: 'idle',
      note: 'Agent finished current task, session still alive',
    },
    {
      from: 'working',
      on: 'terminate',
      to: 'dead',
      note: 'Crash, manual kill, timeout watchdog, or circuit breaker',
    },
    { from: 'idle', on: 'task_assigned', to: 'working', note: 'New task assigned to the existing session' },
    { from: 'idle', on: 'recycle', to: 'dead', note: 'Idle recycling (resources reclaimed)' },
  ],
  aliases: [],
  overrides: [],
  error: 'IllegalTransitionError',
});

/** The 4 agent states. */
export type AgentStatus = StateOf<typeof agentMachine>;
