import { hostname } from 'node:os';

import { isAlive as isProcessAlive, isKnownDead, isOtherSpace } from '@baton/spawner/processes';
import { carryCommand, type KnownProcesses, type Run, type Store, type Worker } from '@baton/task-store';

import type { Stored } from './with-store.ts';

/** A worker on another host is taken for dead when it gave no sign for this long (three heartbeats). */
const maxSilenceMs = 30_000;

/** Whether a worker's process lives. Here a pid with another start time is another process. */
export function isAlive(worker: Worker): boolean {
  if (worker.status === 'offline') return false;
  if (isHere(worker)) return isThere(worker);
  return worker.silentMs < maxSilenceMs;
}

/** The living workers that may work on a run: those narrowed to it, and those of `baton up`. */
export function carriersOf(run: Pick<Run, 'id'>, workers: readonly Worker[]): Worker[] {
  return workers.filter((worker) => (worker.runId === null || worker.runId === run.id) && isAlive(worker));
}

/** Looks at the processes of this host's workers: an answer of the store is as true as what it knows of them. */
export async function lookAtProcesses({
  store,
  project,
  ownStore,
}: Stored): Promise<{ workers: Worker[]; known: KnownProcesses }> {
  const workers = await store.workers.list();
  const here = workers.filter((worker) => worker.host === hostname() && worker.status !== 'offline');
  const ids = (is: (worker: Worker) => boolean) => here.filter(is).map(({ id }) => id);
  return {
    workers,
    known: {
      there: ids(isThere),
      gone: ids(isGone),
      host: hostname(),
      here: project?.root ?? null,
      ownStore,
    },
  };
}

/** Whether a worker's process can be looked at from here: another machine, or a container, may have the same host name. */
export const isHere = (worker: Pick<Worker, 'host' | 'bootId'>): boolean =>
  worker.host === hostname() && !isOtherSpace(worker.bootId);

const isThere = (worker: Worker): boolean => isHere(worker) && isProcessAlive(worker);
const isGone = ({ pid, pidStarted, bootId: space }: Worker): boolean =>
  isKnownDead({ pid, pidStarted, space });

/** States of a run in which some process should be at it. */
const moving = new Set(['running', 'paused']);
/** The others wait for a person, or for these. */
const looks = 20;
const openStates = [
  'OPEN',
  'CLAIMED',
  'IN_PROGRESS',
  'ORPHANED',
  'DONE',
  'WAITING_FOR_SUBTASKS',
  'BLOCKED',
] as const;

/** Says that no process carries a run on, and the command that does; null when one does or the run needs none. */
export async function notCarried(
  store: Store,
  { run, workers, known }: { run: Run; workers: readonly Worker[]; known: KnownProcesses },
): Promise<{ text: string; unblock: string | null } | null> {
  if (!moving.has(run.status) || carriersOf(run, workers).length > 0) return null;
  const open = await store.tasks.list({ runId: run.id, status: [...openStates], limit: looks });
  for (const task of open.items) {
    const { cause, also, text, unblock } = await store.tasks.explain(task.id, known);
    if (cause === 'not_carried') return { text, unblock };
    if (cause === 'run_paused' && also.includes('not_carried'))
      return { text: 'The run is stopped until this is fixed.', unblock };
  }
  return null;
}

/** The command that carries a run on, as it is to be typed here. */
export async function carryHere({ store, project, ownStore }: Stored, run: Run): Promise<string> {
  const repo = (await store.runs.repo(run.repoId)) ?? undefined;
  return carryCommand(run, { repo, host: hostname(), here: project?.root ?? null, ownStore });
}

/** The line below a view of such a run. */
export const carryOn = ({ text, unblock }: { text: string; unblock: string | null }): string =>
  `${text} Carry it on with \`${unblock ?? ''}\`.`;
