import { BatonError } from '@baton/contracts';
import type { Run, RunStatus, Store, Task } from '@baton/task-store';

import type { Call } from '../terminal/call.ts';
import { noSuchTask, tasksOfKey } from './meant.ts';
import type { Stored } from './with-store.ts';

interface Wanted {
  /** The run that it must be of; left out: of any. */
  runId?: string;
  /** For a command that changes something: whether it can act on a task. */
  can?: (task: Task) => boolean;
}

/**
 * A task by key, run/key or id; a key alone is one of this repository's. For one that does not exist, says which was probably meant.
 * With `can`, a key alone is the one task that the command can act on,
 * in a run that has not ended if there is one.
 *
 * @throws NOT_FOUND; AMBIGUOUS, also where a command could act on several tasks of that key
 */
export async function pickTask(
  stored: Pick<Stored, 'store' | 'project'>,
  reference: string,
  { runId, can }: Wanted = {},
): Promise<Task> {
  const { store, project } = stored;
  const found = await store.tasks
    .find(reference, {
      ...(runId === undefined ? {} : { runId }),
      ...(project === null ? {} : { location: project.root }),
    })
    .catch(async (error: unknown) => {
      if (!BatonError.is(error, 'NOT_FOUND')) throw error;
      throw await noSuchTask(stored, { reference, runId, error });
    });
  if (can === undefined || runId !== undefined || reference !== found.key) return found;
  const able = (await tasksOfKey(stored, found.key)).filter(can);
  return onlyOne(await withRuns(store, able), reference) ?? found;
}

interface OfRun {
  task: Task;
  run: Run;
}

const ended: readonly RunStatus[] = ['done', 'failed', 'cancelled'];

async function withRuns(store: Store, tasks: readonly Task[]): Promise<OfRun[]> {
  const all = await Promise.all(tasks.map(async (task) => ({ task, run: await store.runs.get(task.runId) })));
  return all.flatMap(({ task, run }) => (run === null ? [] : [{ task, run }]));
}

/** The one of a run that has not ended, else that of the newest run; null: there is none. @throws AMBIGUOUS */
function onlyOne(able: readonly OfRun[], reference: string): Task | null {
  const live = able.filter(({ run }) => !ended.includes(run.status));
  if (live.length < 2) {
    const newest = able.toSorted((a, b) => b.run.createdAt.getTime() - a.run.createdAt.getTime());
    return (live[0] ?? newest[0])?.task ?? null;
  }
  const names = live.map(({ task, run }) => `${run.slug}/${task.key}`);
  throw new BatonError('AMBIGUOUS', `Several runs have a task "${reference}": ${names.join(', ')}.`, {
    fix: 'Name one of them, with its run.',
    details: { taskIds: live.map(({ task }) => task.id) },
  });
}

/** Says of which run a task is, where other runs have one with the same key and none was named. */
export async function noteOtherRuns(
  call: Pick<Call, 'out'>,
  stored: Pick<Stored, 'store' | 'project'>,
  { task, reference }: { task: Task; reference: string },
): Promise<void> {
  if (reference !== task.key) return; // a run or an id was given
  const others = (await tasksOfKey(stored, task.key)).filter(({ runId }) => runId !== task.runId).length;
  const run = others === 0 ? null : await stored.store.runs.get(task.runId);
  if (run === null) return;
  const also = others === 1 ? 'another run has' : `${others} other runs have`;
  call.out.note(
    `${task.key} of the run ${run.slug}; ${also} a task of that key: name one as <run>/${task.key}.`,
  );
}
