import { dropLandingRefs, landingRefs } from '@baton/janitor';
import type { Run } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';

/** More runs than this, the newest, are not looked through. */
const maxRuns = 200;

/**
 * Removes refs of landings whose attempt is over, landed or not, from repositories of this host: their worker died,
 * or lost the database, before it could. One of an attempt that is not over is needed; one that no run
 * here knows is somebody else's. False: some could not be looked for.
 */
export async function dropLeftRefs(ctx: WorkerContext): Promise<boolean> {
  let isDone = true;
  const one = ctx.runId === null ? null : await ctx.store.runs.get(ctx.runId);
  const runs = one === null ? (await ctx.store.runs.list({ limit: maxRuns })).items : [one];
  for (const [repoId, own] of Map.groupBy(runs, (run) => run.repoId)) {
    await dropIn(ctx, { repoId, runs: own }).catch((cause: unknown) => {
      isDone = false;
      ctx.log.warn('refs of landings stay until the next look', { repoId, cause: String(cause) });
    });
  }
  return isDone;
}

async function dropIn(
  ctx: WorkerContext,
  { repoId, runs }: { repoId: string; runs: readonly Run[] },
): Promise<void> {
  const repo = await ctx.store.runs.repo(repoId);
  if (repo?.host !== ctx.worker.host) return;
  const place = { git: ctx.git, repo: repo.location };
  const left = new Map((await landingRefs(place)).map(({ ref, landingId }) => [landingId, ref]));
  const over: string[] = [];
  for (const { id } of runs) {
    if (left.size === 0) break;
    for (const attempt of await ctx.store.tasks.listAttempts({ runId: id })) {
      const ref = left.get(attempt.id);
      if (ref === undefined) continue;
      left.delete(attempt.id);
      if (attempt.endedAt !== null) over.push(ref);
    }
  }
  await dropLandingRefs({ ...place, refs: over });
}
