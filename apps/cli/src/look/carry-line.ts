import type { Run, Worker } from '@baton/task-store';

import { carriersOf, carryHere } from '../project/carriers.ts';
import type { Stored } from '../project/with-store.ts';

/** What a person has to type yet before the open tasks of a run are begun, as a sentence; null: nothing, or something else is due. */
export async function carryLine(
  stored: Stored,
  { run, workers }: { run: Run; workers: readonly Worker[] },
): Promise<string | null> {
  const isPaused = run.status === 'paused';
  if (!isPaused && run.status !== 'running') return null;
  if (carriersOf(run, workers).length > 0)
    return isPaused ? `The run is paused: \`baton resume ${run.slug}\` continues it.` : null;
  const command = await carryHere(stored, run);
  return isPaused
    ? `The run is paused, and no process carries it: carry it on with \`${command}\`.`
    : `Carry the run on with \`${command}\`.`;
}
