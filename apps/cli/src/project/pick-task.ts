import { BatonError } from '@baton/contracts';
import type { Store, Task } from '@baton/task-store';

import type { Call } from '../terminal/call.ts';
import { nearest } from '../terminal/nearest.ts';

/** Runs whose keys a mistyped one is compared with, the newest first. */
const mostRuns = 5;

/**
 * A task by key, run/key or id; for one that does not exist, says which was probably meant.
 *
 * @param options.runId The run that it must be of; left out: of any.
 * @throws NOT_FOUND, AMBIGUOUS
 */
export async function pickTask(
  store: Store,
  reference: string,
  options: { runId?: string } = {},
): Promise<Task> {
  try {
    return await store.tasks.find(reference, options);
  } catch (error) {
    if (!BatonError.is(error, 'NOT_FOUND')) throw error;
    const slash = reference.indexOf('/');
    const keys = await keysOf(store, options.runId ?? (slash < 0 ? null : reference.slice(0, slash)));
    const meant = nearest(reference.slice(slash + 1), keys);
    if (meant === undefined) throw error;
    throw new BatonError('NOT_FOUND', error.message, {
      fix: `Did you mean ${reference.slice(0, slash + 1)}${meant}? \`baton tasks\` lists the tasks of a run.`,
      cause: error,
    });
  }
}

/** Says of which run a task is, where other runs have one with the same key and none was named. */
export async function noteOtherRuns(
  call: Pick<Call, 'out'>,
  store: Store,
  { task, reference }: { task: Task; reference: string },
): Promise<void> {
  if (reference !== task.key) return; // a run or an id was given
  const { items } = await store.tasks.list({ text: task.key, limit: 200 });
  const others = items.filter(({ key, runId }) => key === task.key && runId !== task.runId).length;
  const run = others === 0 ? null : await store.runs.get(task.runId);
  if (run === null) return;
  const also = others === 1 ? 'another run has' : `${others} other runs have`;
  call.out.note(
    `${task.key} of the run ${run.slug}; ${also} a task of that key: name one as <run>/${task.key}.`,
  );
}

async function keysOf(store: Store, run: string | null): Promise<string[]> {
  const runs =
    run === null ? (await store.runs.list({ limit: mostRuns })).items : [await store.runs.find(run)];
  const tasks = await Promise.all(runs.map(({ id }) => store.tasks.list({ runId: id, limit: 200 })));
  return tasks.flatMap(({ items }) => items.map(({ key }) => key));
}
