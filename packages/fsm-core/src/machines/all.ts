import { agentMachine } from './agent.ts';
import { cognitiveMachine } from './cognitive.ts';
import { executionMachine } from './execution.ts';
import { taskMachine } from './task.ts';
import { turnMachine } from './turn.ts';

/** All five machines by their id. */
export const machines = {
  task: taskMachine,
  agent: agentMachine,
  turn: turnMachine,
  cognitive: cognitiveMachine,
  execution: executionMachine,
} as const;

/** Id of one of the five machines. */
export type MachineId = keyof typeof machines;
