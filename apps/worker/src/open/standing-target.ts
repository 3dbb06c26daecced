import { BatonError } from '@baton/contracts';
import { targetLoss } from '@baton/janitor';
import type { Clone } from '@baton/spawner';
import { carryCommand, type Repo, type Run } from '@baton/task-store';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { freshHead } from '../context/target-head.ts';

/** The state of a target: its head, or what somebody else did to it. */
export type StandingTarget = { ok: true; head: string } | { ok: false; text: string };

/** The heads that were found to hold all that had landed, by clone and target: others are looked at again. */
const sound = new WeakMap<Clone, Map<string, string>>();

/**
 * The target's head, on the condition that it still holds what landed on it. Otherwise the run is paused with the reason: whatever
 * is built on such a head would lack the work that it depends on, and each try would fail in the same way.
 * @throws GIT_FAILED, REPO_NOT_FOUND
 */
export async function standingTarget(
  ctx: WorkerContext,
  { run, repo, clone }: { run: Run; repo: Repo; clone: Clone },
): Promise<StandingTarget> {
  // Read before the head: what is confirmed now was on the target then.
  const landed =
    (await ctx.store.tasks.landings({ runId: run.id, newest: true }))[0]?.commit ?? run.baseCommit;
  const head = await headOf(ctx, { clone, location: repo.location, target: run.target });
  const known = sound.get(clone) ?? new Map<string, string>();
  sound.set(clone, known);
  if (landed === null) {
    if (head !== null) return { ok: true, head };
    throw missing(run.target);
  }
  const mark = `${head ?? ''} ${landed}`;
  if (head !== null && (head === landed || known.get(run.target) === mark)) return { ok: true, head };
  const loss = await targetLoss({
    ...{ git: ctx.git, repo: repo.location, clone: clone.path },
    ...{ target: run.target, commits: [landed] },
  });
  if (loss === null) {
    if (head === null) throw missing(run.target);
    known.set(run.target, mark);
    return { ok: true, head };
  }
  const goOn = carryCommand({ ...run, status: 'paused' }, { repo, isUp: ctx.runId === null });
  if (loss.kind === 'replaced') {
    const text = `${repo.location} is another repository than the one that the run began in: it has no commit of its history. Put the former one back, then \`${goOn}\`; or give the run up with \`baton cancel ${run.slug}\`. Baton kept what landed: \`${loss.restore}\` makes a checkout of it beside the new one.`;
    await pause(ctx, { run, reason: `REPO_CHANGED: ${text}` });
    return { ok: false, text };
  }
  const what =
    loss.head === null
      ? `The branch ${run.target} was deleted`
      : `The branch ${run.target} was moved to ${loss.head}`;
  const text = `${what}; the last commit that the run knows of it is ${loss.last}. Bring it back with \`${loss.restore}\`, then \`${goOn}\`.`;
  await pause(ctx, { run, reason: `TARGET_MOVED: ${text}` });
  return { ok: false, text };
}

async function pause(ctx: WorkerContext, { run, reason }: { run: Run; reason: string }): Promise<void> {
  await ctx.store.runs.pause(run.id, { actor: actorOf(ctx), reason }).catch(ended);
  ctx.log.warn('the target does not hold what landed on it', {
    run: run.slug,
    target: run.target,
    text: reason,
  });
}

/** The run has ended: nothing is left to pause. */
function ended(cause: unknown): void {
  if (!BatonError.is(cause, 'CONFLICT')) throw cause;
}

async function headOf(
  ctx: WorkerContext,
  place: { clone: Clone; location: string; target: string },
): Promise<string | null> {
  try {
    return await freshHead(ctx, place);
  } catch (cause) {
    if (BatonError.is(cause, 'REF_INVALID')) return null;
    throw cause;
  }
}

const missing = (target: string): BatonError =>
  new BatonError('REF_INVALID', `The target branch "${target}" does not exist.`, {
    fix: `Create it with \`git branch ${target}\`.`,
  });
