import { type ActivityState, type ApiAgentStatus, toActivityState, toAgentStatus } from './execution.ts';
import { isTerminal } from './inspect.ts';
import type { AgentStatus } from './machines/agent.ts';
import { type ExecutionState, executionMachine } from './machines/execution.ts';
import type { TurnState } from './machines/turn.ts';
import {
  classifyVisualState,
  defaultVisualThresholds,
  type Instant,
  type VisualInput,
  type VisualState,
  type VisualThresholds,
} from './visual-state.ts';

/** A session as every interface shows it. */
export interface ExecutionView {
  readonly executionState: ExecutionState;
  /** The status that older interfaces know. */
  readonly status: ApiAgentStatus;
  readonly activity: ActivityState;
  readonly visual: VisualState;
}

/**
 * Projects a session onto what is shown of it: status and activity by
 * docs/spec/kernel.md#execution-states-binding, the visual state by docs/spec/kernel.md#visual-states-binding. A session
 * whose execution is over is dead, also when it never had a process.
 */
export function projectExecution(
  session: VisualInput & { readonly executionState: ExecutionState },
  now: Instant,
  thresholds: VisualThresholds = defaultVisualThresholds,
): ExecutionView {
  const { executionState } = session;
  const over = isTerminal(executionMachine, executionState);
  return {
    executionState,
    status: toAgentStatus(executionState),
    activity: toActivityState(executionState),
    visual: classifyVisualState(over ? { ...session, status: 'dead' } : session, thresholds, now),
  };
}

/**
 * Execution is a projection of agent × turn: the states that it may be in beside them. Where two are named, how the process
 * ended decides.
 *
 * @param agent Null: not launched.
 * @param turn State of the turn that the agent is on, or was on last; null: of none yet.
 */
export function executionBeside(
  agent: AgentStatus | null,
  turn: TurnState | null,
): readonly ExecutionState[] {
  switch (agent) {
    case null:
      return ['pending', 'failed'];
    case 'starting':
      return ['starting'];
    case 'dead':
      return ['stopped', 'failed'];
    case 'working':
    case 'idle':
      if (turn === 'COMPACTING') return ['suspended'];
      return turn === 'RUNNING' || turn === 'TOOL_USE' ? ['busy'] : ['idle'];
  }
}
