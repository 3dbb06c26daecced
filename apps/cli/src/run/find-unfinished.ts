import { hostname } from 'node:os';
import { BatonError } from '@baton/contracts';
import { carryCommand, type Run, type Store } from '@baton/task-store';

import { isAlive } from '../project/carriers.ts';
import { heldBy } from './held.ts';
import { pickRun, runsOfProject, type Stored } from '../project/with-store.ts';

/** Runs that are looked through for an unfinished one. */
const looks = 100;

/**
 * The run to carry on: the named one, or the newest of this repository that is not finished.
 * @throws NOT_FOUND, CONFLICT when it is finished, RUN_BUSY when another living process carries it out
 */
export async function findUnfinished(stored: Stored, reference: string | undefined): Promise<Run> {
  const run = reference === undefined ? await newestUnfinished(stored) : await pickRun(stored, reference);
  if (['done', 'cancelled'].includes(run.status)) {
    throw new BatonError('CONFLICT', `The run ${run.slug} is ${run.status}: nothing is left to carry out.`, {
      fix: 'See `baton runs`, or start a new one with `baton run plan.yaml`.',
    });
  }
  await refuseBusy(stored.store, run);
  await refuseElsewhere(stored, run);
  return run;
}

/**
 * A worker here could only wait, or would take the set-up and the base of the wrong repository.
 * @throws CONFLICT for a run of another host or repository
 */
async function refuseElsewhere({ store, project, ownStore }: Stored, run: Run): Promise<void> {
  const repo = await store.runs.repo(run.repoId);
  if (repo === null || project === null) return;
  if (repo.host === null || repo.host === hostname()) {
    if (repo.location === project.root) return;
    const carry = carryCommand(run, { repo, here: project.root, ownStore });
    throw new BatonError(
      'CONFLICT',
      `The repository of ${run.slug} is ${repo.location}, and this is ${project.root}.`,
      { at: run.slug, fix: `Carry it on with \`${carry}\`.` },
    );
  }
  throw new BatonError(
    'CONFLICT',
    `The repository of ${run.slug} is ${repo.location} on host ${repo.host}; this is host ${hostname()}.`,
    {
      at: run.slug,
      fix: `Run \`${carryCommand(run)}\` on host ${repo.host}. If this machine had that name before, end the run with \`baton cancel ${run.slug}\` and run its plan again.`,
    },
  );
}

/** @throws RUN_BUSY */
async function refuseBusy(store: Store, run: Run): Promise<void> {
  const busy = (await store.workers.list()).find((worker) => worker.runId === run.id && isAlive(worker));
  if (!busy) return;
  throw new BatonError(
    'RUN_BUSY',
    `The run ${run.slug} is being carried out by process ${busy.pid} on ${busy.host}.`,
    {
      fix: `Watch it with \`baton status ${run.slug}\`, or stop it with \`baton stop ${run.slug}\`.`,
      details: { pid: busy.pid, host: busy.host },
    },
  );
}

async function newestUnfinished(stored: Stored): Promise<Run> {
  const status = ['running', 'paused', 'waiting', 'stuck', 'failed'] as const;
  for (const run of await runsOfProject(stored, { status: [...status], limit: looks })) {
    // The standing run of a trigger rule is carried by `baton up`, and never ends.
    if (run.standing) continue;
    if (run.status !== 'failed') return run;
    if (heldBy(run) === null) continue;
    const left = await stored.store.tasks.list({ runId: run.id, settled: false, limit: 1 });
    if (left.items.length > 0) return run;
  }
  throw new BatonError('NOT_FOUND', 'No run of this repository is unfinished.', {
    fix: 'See `baton runs`, or start a new one with `baton run plan.yaml`.',
  });
}
