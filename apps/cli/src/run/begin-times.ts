import type { AgentSession, Attempt, StorePart } from '@baton/task-store';

/**
 * When the agent began with each attempt, by the attempt's id. One that had its agent to itself began when it was claimed; for
 * those of a batch the time is in the history of the task.
 */
export async function beginTimes(
  store: StorePart<{ tasks: 'history' }>,
  attempts: readonly Attempt[],
): Promise<Map<string, Date>> {
  const bySession = Map.groupBy(attempts, ({ sessionId }) => sessionId);
  const shared = attempts.filter(
    ({ sessionId }) => sessionId !== null && (bySession.get(sessionId)?.length ?? 0) > 1,
  );
  const taskIds = [...new Set(shared.map(({ taskId }) => taskId))];
  const histories = await Promise.all(
    taskIds.map(async (entityId) => store.tasks.history({ machine: 'task', entityId })),
  );
  const begins = new Map(
    taskIds.map((id, at) => [id, histories[at]?.filter(({ to }) => to === 'IN_PROGRESS') ?? []]),
  );
  const times = new Map<string, Date>();
  for (const { id, taskId, createdAt, endedAt } of shared) {
    const begin = begins
      .get(taskId)
      ?.find(({ at }) => at >= createdAt && (endedAt === null || at <= endedAt));
    if (begin !== undefined) times.set(id, begin.at);
  }
  return times;
}

/**
 * How long agents were at work on attempts, in milliseconds. An attempt that waits for a person is open when its agent has long
 * ended: what counts is the agent.
 */
export function workedMs(
  attempts: readonly Attempt[],
  {
    begun,
    sessions,
  }: {
    begun: ReadonlyMap<string, Date> | undefined;
    sessions: readonly Pick<AgentSession, 'id' | 'endedAt'>[];
  },
): number {
  return attempts.reduce((sum, { id, sessionId, createdAt, endedAt }) => {
    const ofAgent = sessions.find((session) => session.id === sessionId)?.endedAt ?? null;
    const ends = [endedAt, ofAgent].flatMap((end) => (end === null ? [] : [end.getTime()]));
    if (ends.length === 0) return sum;
    return sum + Math.max(0, Math.min(...ends) - (begun?.get(id) ?? createdAt).getTime());
  }, 0);
}
