import { projectExecution, type ExecutionView } from '@baton/fsm-core';
import type { Attempt, ListedSession, Task } from '@baton/task-store';

import type { Stored } from '../project/with-store.ts';

/** A session of an agent as an operator sees it. */
export interface SessionRow extends ExecutionView {
  id: string;
  adapter: string;
  model: string | null;
  /** Keys of its tasks that are not over, in order. */
  tasks: string[];
  lastSignAt: Date | null;
}

/** The sessions of a run with what is shown of them. */
export async function sessionsOf(
  { store }: Pick<Stored, 'store'>,
  { runId, tasks, live }: { runId: string; tasks: readonly Task[]; live: boolean },
): Promise<SessionRow[]> {
  const [sessions, attempts] = await Promise.all([
    store.tasks.sessions({ runId, ...(live ? { live } : {}) }),
    store.tasks.listAttempts({ runId, open: true }),
  ]);
  return sessions.map((session) => rowOf(session, { attempts, tasks }));
}

function rowOf(
  session: ListedSession,
  { attempts, tasks }: { attempts: readonly Attempt[]; tasks: readonly Task[] },
): SessionRow {
  const { id, adapter, model, createdAt: spawnedAt, lastSignAt } = session;
  const mine = attempts.filter((attempt) => attempt.sessionId === id).map((attempt) => attempt.taskId);
  const keys = tasks.filter((task) => mine.includes(task.id)).map((task) => task.key);
  const view = projectExecution({ ...session, spawnedAt, lastHeartbeatAt: lastSignAt }, session.readAt);
  return { id, adapter, model, ...view, tasks: keys, lastSignAt };
}
