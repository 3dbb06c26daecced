import { projectExecution, type ExecutionView } from '@baton/fsm-core';
import type { AgentSession } from '@baton/task-store';

/** A session as an operator sees it. */
export type SessionView = AgentSession & {
  executionStatus: ExecutionView['status'];
  activityState: ExecutionView['activity'];
  visual: ExecutionView['visual'];
};

/** Adds the states that are derived, by the tables of docs/spec/kernel.md. */
export function viewSession(session: AgentSession, now: Date): SessionView {
  const { createdAt: spawnedAt, lastSignAt: lastHeartbeatAt } = session;
  const view = projectExecution({ ...session, spawnedAt, lastHeartbeatAt }, now);
  return { ...session, executionStatus: view.status, activityState: view.activity, visual: view.visual };
}
