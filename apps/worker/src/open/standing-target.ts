import { BatonError, requestsInto } from '@baton/contracts';
import { landedTasks, targetLoss } from '@baton/janitor';
import type { Clone } from '@baton/spawner';
import { carryCommand, type Repo, type Run, type Task } from '@baton/task-store';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { freshHead } from '../context/target-head.ts';

/** The state of a target: its head, or what somebody else did to it. */
export type StandingTarget = { ok: true; head: string } | { ok: false; text: string };

/** A head that was found to hold all that had landed, and what its commits since then say they landed. */
interface Sound {
  mark: string;
  /** Commits by the ids of their tasks. */
  others: ReadonlyMap<string, string>;
}

/** Sound heads by clone and target: others are looked at again. */
const sound = new WeakMap<Clone, Map<string, Sound>>();

/** Whose target is asked about. */
interface Asked {
  run: Run;
  repo: Repo;
  clone: Clone;
  /** Those that are about to start or to land: the target must not hold them already. */
  tasks: readonly Pick<Task, 'id' | 'key'>[];
}

/**
 * The target's head, on the condition that it still holds what landed on it. Otherwise the run is paused with the reason: whatever
 * is built on such a head would lack the work that it depends on, and each try would fail in the same way.
 * @throws GIT_FAILED, REPO_NOT_FOUND
 */
export async function standingTarget(ctx: WorkerContext, asked: Asked): Promise<StandingTarget> {
  const { run, repo, clone } = asked;
  // Read before the head: what is confirmed now was on the target then.
  const landed =
    (await ctx.store.tasks.landings({ runId: run.id, newest: true }))[0]?.commit ?? run.baseCommit;
  const head = await headOf(ctx, { clone, location: repo.location, target: run.target });
  if (landed === null && head === null) throw missing(run.target);
  if (head !== null && head === landed) return { ok: true, head };
  const known = sound.get(clone) ?? new Map<string, Sound>();
  sound.set(clone, known);
  const mark = `${run.id} ${head ?? ''} ${landed ?? ''}`;
  const before = known.get(run.target);
  if (head !== null && before?.mark === mark)
    return unlessThere(ctx, { ...asked, head, others: before.others });
  const place = { git: ctx.git, repo: repo.location, clone: clone.path, target: run.target };
  const loss = landed === null ? null : await targetLoss({ ...place, commits: [landed] });
  if (loss === null) {
    if (head === null) throw missing(run.target);
    const range = { from: landed, to: head };
    // What a host has merged is closed by what the host says.
    const others =
      requestsInto(run.plan) === null
        ? await landedTasks({ git: ctx.git, clone: clone.path, run: run.slug, ...range })
        : new Map<string, string>();
    known.set(run.target, { mark, others });
    return unlessThere(ctx, { ...asked, head, others });
  }
  const goOn = goOnOf(ctx, asked);
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

const goOnOf = (ctx: WorkerContext, { run, repo }: Pick<Asked, 'run' | 'repo'>): string =>
  carryCommand({ ...run, status: 'paused' }, { repo, isUp: ctx.runId === null });

/** Refuses a task that the target holds already: it was landed by a copy of this database, which may be newer. */
async function unlessThere(
  ctx: WorkerContext,
  { head, others, ...asked }: Asked & { head: string; others: ReadonlyMap<string, string> },
): Promise<StandingTarget> {
  const { run, tasks } = asked;
  const task = tasks.find(({ id }) => others.has(id));
  if (task === undefined) return { ok: true, head };
  const name = `${run.slug}/${task.key}`;
  const text = `The branch ${run.target} holds ${others.get(task.id) ?? ''}, which landed ${name}, and this database knows nothing of it: it was restored from an older copy, or a copy of it is in use as well. Use the newer one; or end the task here with \`baton cancel ${name}\`, then \`${goOnOf(ctx, asked)}\`.`;
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
