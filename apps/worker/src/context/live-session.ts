import type { AbortPolicy, AbortReason } from '@baton/fsm-core';
import type { AgentRunner } from '@baton/spawner';
import type { Claim } from '@baton/task-store';
import type { StopReason } from './stop-reason.ts';
import { policiesOf } from './policies.ts';

/** An agent session at work here, as the abort chain sees it. */
export interface LiveSession {
  readonly sessionId: string;
  readonly runId: string;
  readonly policy: AbortPolicy;
  /** Why it was asked to stop; null: it was not. */
  readonly stopped: { stop: StopReason; abortReason: AbortReason } | null;
  /** Ends the session: the task that it is on, and those that it has not begun. The first reason counts. */
  stop(stop: StopReason, abortReason: AbortReason): void;
  /** Stops one tool call; false: this agent cannot. */
  abortTool(toolCallId: string): boolean;
  /** Who stops the task that the agent is on; at once, when the session was stopped before. */
  onStop(handler: (stop: StopReason, abortReason: AbortReason) => void): void;
}

/** Makes the view of a session that begins. */
export function liveSession(claim: Claim, agent: AgentRunner): LiveSession {
  let stopped: LiveSession['stopped'] = null;
  let handler: ((stop: StopReason, abortReason: AbortReason) => void) | null = null;
  return {
    sessionId: claim.sessionId,
    runId: claim.run.id,
    policy: policiesOf(claim.run).abort,
    get stopped() {
      return stopped;
    },
    stop(stop, abortReason) {
      stopped ??= { stop, abortReason };
      handler?.(stopped.stop, stopped.abortReason);
    },
    abortTool: (toolCallId) => agent.abortTool(toolCallId),
    onStop(next) {
      handler = next;
      if (stopped !== null) next(stopped.stop, stopped.abortReason);
    },
  };
}
