import {
  classifyVisualState,
  defaultVisualThresholds,
  toActivityState,
  toAgentStatus,
  type VisualState,
} from '@baton/fsm-core';
import type { AgentSession } from '@baton/task-store';

/** A session as an operator sees it. */
export type SessionView = AgentSession & {
  executionStatus: ReturnType<typeof toAgentStatus>;
  activityState: ReturnType<typeof toActivityState>;
  visual: VisualState;
};

/** Adds the states that are derived, by the lifecycle seed's tables. */
export function viewSession(session: AgentSession, now: Date): SessionView {
  const { status, activity, pid, createdAt: spawnedAt, lastSignAt: lastHeartbeatAt } = session;
  return {
    ...session,
    executionStatus: toAgentStatus(session.executionState),
    activityState: toActivityState(session.executionState),
    visual: classifyVisualState(
      { status, activity, pid, spawnedAt, lastHeartbeatAt },
      defaultVisualThresholds,
      now,
    ),
  };
}
