import type { Run, StorePart, Worker } from '@baton/task-store';

import { carriersOf } from '../project/carriers.ts';

/** What a person has to type yet before the open tasks of a run are begun, as a sentence; null: nothing, or something else is due. */
export async function carryLine(
  store: StorePart<{ runs: 'repo' }>,
  { run, workers }: { run: Run; workers: readonly Worker[] },
): Promise<string | null> {
  const { slug, status } = run;
  const isPaused = status === 'paused';
  if (!isPaused && status !== 'running') return null;
  if (carriersOf(run, workers).length > 0)
    return isPaused ? `The run is paused: \`baton resume ${slug}\` continues it.` : null;
  const isLocal = (await store.runs.repo(run.repoId))?.host !== null;
  const remote = isPaused ? `baton resume ${slug} && baton up` : 'baton up';
  const command = isLocal ? `baton run --resume ${slug}` : remote;
  return isPaused
    ? `The run is paused, and no process carries it: carry it on with \`${command}\`.`
    : `Carry the run on with \`${command}\`.`;
}
