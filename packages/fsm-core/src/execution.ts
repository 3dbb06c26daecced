import { type ExecutionState, executionMachine } from './machines/execution.ts';

/**
 * The coarse status that older interfaces show. Not the agent machine's state. Source:
 * docs/spec/kernel.md#execution-states-binding.
 */
export type ApiAgentStatus = 'pending' | 'running' | 'stopped' | 'failed';

/** The activity that older interfaces show. */
export type ActivityState = 'idle' | 'busy';

/** Text that names no execution state. */
export class UnknownExecutionStateError extends Error {
  override readonly name: string = 'UnknownExecutionStateError';
  readonly text: string;
  /** The way out: the names that exist. */
  readonly fix: string = `Use one of: ${executionMachine.states.join(', ')}.`;

  constructor(text: string) {
    super(`Unknown execution state: ${text}`);
    this.text = text;
  }
}

const AGENT_STATUS: Readonly<Record<ExecutionState, ApiAgentStatus>> = {
  pending: 'pending',
  starting: 'pending',
  idle: 'running',
  busy: 'running',
  suspended: 'running',
  stopped: 'stopped',
  failed: 'failed',
};

/** Maps an execution state to the status that older interfaces know. Source: docs/spec/kernel.md#execution-states-binding. */
export function toAgentStatus(state: ExecutionState): ApiAgentStatus {
  return AGENT_STATUS[state];
}

/** Derives the activity: busy is busy, everything else is idle. Source: docs/spec/kernel.md#execution-states-binding. */
export function toActivityState(state: ExecutionState): ActivityState {
  return state === 'busy' ? 'busy' : 'idle';
}

/** Prints an execution state in snake_case, as it is stored and sent. */
export function printExecutionState(state: ExecutionState): string {
  return state;
}

/**
 * Reads an execution state from its exact snake_case text.
 *
 * @throws UnknownExecutionStateError `Unknown execution state: <text>`
 */
export function parseExecutionState(text: string): ExecutionState {
  const state = executionMachine.states.find((known) => known === text);
  if (state === undefined) throw new UnknownExecutionStateError(text);
  return state;
}
