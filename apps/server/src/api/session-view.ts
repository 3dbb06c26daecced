import { projectExecution, type ExecutionView } from '@baton/fsm-core';
import type { ListedSession } from '@baton/task-store';

/** A session as an operator sees it. */
export type SessionView = ListedSession & {
  executionStatus: ExecutionView['status'];
  activityState: ExecutionView['activity'];
  visual: ExecutionView['visual'];
};

/** Adds the states that are derived, by the tables of docs/spec/kernel.md, as they were by the clock of the database when it was read. */
export function viewSession(session: ListedSession): SessionView {
  const { createdAt: spawnedAt, lastSignAt: lastHeartbeatAt } = session;
  const view = projectExecution({ ...session, spawnedAt, lastHeartbeatAt }, session.readAt);
  return { ...session, executionStatus: view.status, activityState: view.activity, visual: view.visual };
}
