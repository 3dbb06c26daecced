import { setTimeout as delay } from 'node:timers/promises';
import { BatonError } from '@baton/contracts';
import { fetchHead, fetchHeadFromClone, publishRefs, type Clone } from '@baton/spawner';
import type { Attempt, HeadPlace, Holding, Repo } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';

const pushTries = 3;
const pushPauseMs = 1_000;

/** A head that this worker made and keeps under a ref of its clone. */
export interface MadeHead {
  repo: Repo;
  clone: Clone;
  holding: Holding;
  ref: string;
}

/**
 * Sees to it, before its attempt is DONE, that each worker that may land a head can read it, and writes down where: a
 * remote repository gets it pushed; what stays in our clone (a local repository, or a remote that takes no such refs)
 * is read there by workers of this host.
 */
export async function placeHead(ctx: WorkerContext, made: MadeHead): Promise<void> {
  await ctx.store.lanes.placeHead(made.holding, await placeOf(ctx, made));
}

async function placeOf(ctx: WorkerContext, { repo, clone, ref }: MadeHead): Promise<HeadPlace> {
  const here = { at: 'clone', host: ctx.worker.host, path: clone.path, ref } as const;
  if (repo.host !== null) return here;
  const why = await push(ctx, { repo, clone, refs: [ref] });
  return why === null ? { at: 'repository', ref } : { ...here, why };
}

/** Pushes what was salvaged of a task, and the list of what was not, to a remote repository; the clone keeps it in any case. */
export async function publishSalvage(
  ctx: WorkerContext,
  { repo, clone, taskId }: { repo: Repo; clone: Clone; taskId: string },
): Promise<void> {
  const refs = ['salvage', 'left-out'].map((name) => `refs/baton/${name}/${taskId}/*`);
  if (repo.host === null) await push(ctx, { repo, clone, refs });
}

/** Null: done; else why not. */
async function push(
  ctx: WorkerContext,
  { repo, clone, refs }: { repo: Repo; clone: Clone; refs: string[] },
): Promise<string | null> {
  for (let tries = 1; ; tries += 1) {
    const done = await publishRefs(clone, { location: repo.location, refs });
    if (done.ok) return null;
    if (done.retryable && tries < pushTries && !ctx.stopping.aborted) {
      await delay(pushPauseMs * tries);
      continue;
    }
    ctx.log.warn('the remote did not take refs of ours; only workers of this host can read them', {
      refs,
      why: done.why,
    });
    return done.why;
  }
}

/** Brings an attempt's head into our clone, wherever it lies. Null: it is there; else why not. */
export async function bringHead(
  ctx: Pick<WorkerContext, 'worker'>,
  { repo, clone, attempt }: { repo: Repo; clone: Clone; attempt: Pick<Attempt, 'headCommit' | 'headPlace'> },
): Promise<string | null> {
  const { headCommit: commit, headPlace: place } = attempt;
  if (commit === null) return null;
  try {
    if (place === null) {
      await clone.fetchTarget(commit);
      return null;
    }
    // The commit alone proves nothing: a fetch that was cut off may have left it behind. The ref is made last.
    const head = { ref: place.ref, commit };
    if ((await clone.resolve(place.ref)) === commit) return null;
    if (place.at === 'repository') await fetchHead(clone, { location: repo.location, head });
    else if (place.host !== ctx.worker.host) return `it lies on host ${place.host}, in ${place.path}`;
    else if (place.path === clone.path) return `the ref ${place.ref} is gone from ${clone.path}`;
    else await fetchHeadFromClone(clone, { from: place.path, head });
    return null;
  } catch (cause) {
    if (!BatonError.is(cause)) throw cause;
    return `${cause.code}: ${cause.message}`;
  }
}
