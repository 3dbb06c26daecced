import type { Attempt, Store, Task } from '@baton/task-store';

import type { Colors } from '../terminal/colors.ts';
import { count, listed } from '../terminal/format.ts';

/** Tasks whose work weakens what judges it and has landed or waits for a person: sentences by task id. */
export type Flagged = ReadonlyMap<string, readonly string[]>;

/** What a person should look at in a run, as its newest verdicts tell it. */
export async function flaggedOf(
  store: Store,
  runId: string,
  { tasks, attempts }: { tasks: readonly Task[]; attempts: readonly Attempt[] },
): Promise<Flagged> {
  const told = await store.trust.weakened(runId);
  const states = new Map(tasks.map(({ id, status }) => [id, status]));
  const counts = ({ taskId, attemptId }: { taskId: string; attemptId: string }): boolean => {
    const outcome = attempts.find(({ id }) => id === attemptId)?.outcome ?? null;
    return outcome === 'done' || (outcome === null && states.get(taskId) === 'PENDING_APPROVAL');
  };
  return new Map(told.filter(counts).map(({ taskId, texts }) => [taskId, texts]));
}

/** `1 task weakened tests or gates: hello. See …`; nothing where no task did. */
export function flaggedLines(
  flagged: Flagged,
  { run, tasks, colors }: { run: { slug: string }; tasks: readonly Task[]; colors: Colors },
): string[] {
  const keys = tasks.filter(({ id }) => flagged.has(id)).map(({ key }) => key);
  if (keys.length === 0) return [];
  const name = `${run.slug}/${keys[0] ?? ''}`;
  const what = `${count(keys.length, 'task')} weakened tests or gates: ${listed(keys)}.`;
  return [`${colors.yellow(`! ${what}`)} See \`baton diff ${name}\`.`];
}
