import type { Attempt, Store } from '@baton/task-store';

/**
 * When the agent began with each attempt, by the attempt's id. One that had its agent to itself began when it was claimed; for
 * those of a batch the history of the task tells.
 */
export async function beginTimes(
  store: Pick<Store, 'history'>,
  attempts: readonly Attempt[],
): Promise<Map<string, Date>> {
  const bySession = Map.groupBy(attempts, ({ sessionId }) => sessionId);
  const shared = attempts.filter(
    ({ sessionId }) => sessionId !== null && (bySession.get(sessionId)?.length ?? 0) > 1,
  );
  const taskIds = [...new Set(shared.map(({ taskId }) => taskId))];
  const histories = await Promise.all(
    taskIds.map(async (entityId) => store.history({ machine: 'task', entityId })),
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

/** How long agents were at work on attempts that are over, in milliseconds. */
export function workedMs(attempts: readonly Attempt[], begun: ReadonlyMap<string, Date> | undefined): number {
  return attempts.reduce(
    (sum, { id, createdAt, endedAt }) =>
      endedAt === null ? sum : sum + (endedAt.getTime() - (begun?.get(id) ?? createdAt).getTime()),
    0,
  );
}
