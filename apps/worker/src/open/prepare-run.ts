import { checksHash, fetchBranch, prepareTarget, remoteHead, remoteOf } from '@baton/janitor';
import { BatonError, errorText, requestsInto, type ErrorCode } from '@baton/contracts';
import type { Clone } from '@baton/spawner';
import type { Repo, Run } from '@baton/task-store';
import { standingTarget } from './standing-target.ts';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { keepOfBase } from '../verify/head-figures.ts';
import { adviceFor, baseRedText, judgeBase } from './base-look.ts';
import { holdRun } from './hold-run.ts';
import type { RepoAccess } from '../context/repos.ts';

/** Whether work on a run may begin here. */
export type Readiness = { ok: true } | { ok: false; reason: string };

/** A run that is made ready. */
interface Preparing {
  /** The commit to start from is here, and complete. */
  pinned: Promise<Pinned | { refused: Readiness }>;
  ready: Promise<Readiness>;
  isOver: boolean;
}

/** What a run starts from. */
interface Pinned {
  access: RepoAccess;
  base: string;
}

const preparing = new WeakMap<WorkerContext, Map<string, Preparing>>();

/**
 * Makes a run ready for its first agent, once a process: base pinned and verified, target branch there. Only what stays true
 * is remembered: a run that was not ready may be so when somebody reopened it, and one whose base was given up gets another.
 */
export function prepareRun(ctx: WorkerContext, order: { run: Run; repo: Repo }): Promise<Readiness> {
  return preparingOf(ctx, order).ready;
}

/**
 * Sets a worktree of the run to its base while that is verified, and never fails. Each batch that waits for the base needs one if it is
 * green.
 */
export async function prepareWorktree(ctx: WorkerContext, order: { run: Run; repo: Repo }): Promise<void> {
  const { pinned: pinning, isOver } = preparingOf(ctx, order);
  if (isOver) return;
  const pinned = await pinning.catch(() => null);
  if (pinned !== null && !('refused' in pinned)) await pinned.access.agentPool.prepare({ head: pinned.base });
}

function preparingOf(ctx: WorkerContext, { run, repo }: { run: Run; repo: Repo }): Preparing {
  const known = preparing.get(ctx) ?? new Map<string, Preparing>();
  preparing.set(ctx, known);
  const key = `${run.id} ${run.baseCommit ?? ''}`;
  const before = known.get(key);
  if (before) return before;
  const pinned = pinBase(ctx, { run, repo });
  const ready = pinned.then((base) =>
    'refused' in base ? base.refused : prepare(ctx, { run, repo, ...base }),
  );
  const now: Preparing = { pinned, ready, isOver: false };
  known.set(key, now);
  void ready
    .finally(() => (now.isOver = true))
    .then(
      ({ ok }) => (ok && run.baseCommit !== null) || known.delete(key),
      () => known.delete(key),
    );
  return now;
}

async function pinBase(
  ctx: WorkerContext,
  { run, repo }: { run: Run; repo: Repo },
): Promise<Pinned | { refused: Readiness }> {
  const opening = ctx.repos.open(run, repo);
  const replaced = await reasonOf(opening, 'REPO_CHANGED');
  if (replaced !== null) {
    await ctx.store.runs.fail(run.id, { actor: actorOf(ctx), reason: replaced });
    return { refused: { ok: false, reason: replaced } };
  }
  const access = await opening;
  const { clone } = access;
  const base = await ctx.store.runs.pinBase(
    run.id,
    run.baseCommit ?? (await headToStartFrom(ctx, { run, repo, clone })),
  );
  await clone.fetchTarget(base);
  const lacking = await reasonOf(clone.requireComplete(base), 'REPO_INCOMPLETE');
  return lacking === null ? { access, base } : { refused: await held(ctx, run, lacking) };
}

async function prepare(
  ctx: WorkerContext,
  { run, repo, access, base }: Pinned & { run: Run; repo: Repo },
): Promise<Readiness> {
  const { clone } = access;
  const judging = redGates(ctx, { run, base, repo, access });
  const unmade = await reasonOf(judging, 'SETUP_FAILED', 'PATH_OUTSIDE');
  if (unmade !== null) return held(ctx, run, unmade);
  const red = await judging;
  if (red !== null) return held(ctx, run, red);
  // A branch that work has landed on is never recreated at the base: that would be a branch without the work.
  if ((await ctx.store.tasks.landings({ runId: run.id, newest: true })).length > 0) {
    const target = await standingTarget(ctx, { run, repo, clone, tasks: [] });
    return target.ok ? { ok: true } : { ok: false, reason: target.text };
  }
  const making = prepareTarget({
    git: ctx.git,
    repo: repo.location,
    target: run.target,
    startPoint: base,
    clone: clone.path,
  });
  const unready = await reasonOf(making, 'REPO_DIRTY', 'TARGET_IN_USE');
  return unready === null ? { ok: true } : held(ctx, run, unready);
}

async function held(ctx: WorkerContext, run: Run, reason: string): Promise<Readiness> {
  await holdRun(ctx, { run, reason });
  return { ok: false, reason };
}

/** The text of an error with one of these codes, which no further try mends; null when there is none. */
async function reasonOf(work: Promise<unknown>, ...codes: ErrorCode[]): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (!BatonError.is(error) || !codes.includes(error.code)) throw error;
    return errorText(error);
  }
}

/** Head of the target; of the branch that pull requests go into; of the branch that the repository's HEAD names while the integration branch is not there yet. */
async function headToStartFrom(
  ctx: WorkerContext,
  { run, repo, clone }: { run: Run; repo: Repo; clone: Clone },
): Promise<string> {
  const into = requestsInto(run.plan);
  if (into !== null) return clone.fetchTarget(await headOfRemote(ctx, { repo, into }));
  try {
    return await clone.fetchTarget(run.target);
  } catch (cause) {
    if (!BatonError.is(cause, 'REF_INVALID') || !run.target.startsWith('baton/')) throw cause;
    const listed = await ctx.git(['ls-remote', '--', repo.location, 'HEAD'], { cwd: clone.path });
    const [head = ''] = listed.stdout.split('\t');
    if (listed.exitCode !== 0 || head === '') throw cause;
    return clone.fetchTarget(head);
  }
}

/** What pull requests go into, brought into the checkout. @throws REF_INVALID, GIT_FAILED */
async function headOfRemote(
  { exec, operatorEnv }: WorkerContext,
  { repo, into }: { repo: Repo; into: string },
): Promise<string> {
  const place = { exec, env: operatorEnv, root: repo.location };
  const branch = await remoteOf(place, into)
    .then(({ name }) => ({ remote: name, branch: into }))
    .catch((cause: unknown) => {
      if (!BatonError.is(cause, 'NOT_FOUND')) throw cause;
      throw new BatonError('REF_INVALID', cause.message, cause.fix === undefined ? {} : { fix: cause.fix });
    });
  const head = await remoteHead(place, branch);
  if (head === null)
    throw new BatonError('REF_INVALID', `${branch.remote} has no branch ${into}.`, {
      fix: `Push it: \`git push ${branch.remote} ${into}\`. Then resume the run.`,
    });
  await fetchBranch(place, branch);
  return head;
}

/**
 * Why the run cannot begin on the base, or null when the required gates are green there (docs/spec/agents.md#base).
 * Only a yes is taken again, and only with the same set-up: what a "no" was about may lie outside of the repository and be put right,
 * and files that set-up copies from the checkout may have changed since.
 */
async function redGates(
  ctx: WorkerContext,
  { run, base, repo, access }: { run: Run; base: string; repo: Repo; access: RepoAccess },
): Promise<string | null> {
  const gates = run.gates.filter((gate) => gate.required && !run.allowRed.includes(gate.name));
  if (gates.length === 0) return null;
  const { workspace } = run;
  const hashFor = (setUp: string): string =>
    checksHash({
      gates,
      signals: [],
      allowRed: [],
      versions: { node: process.version, base, workspace: JSON.stringify(workspace), setUp },
    });
  const named = await access.verifyPool.nameSetUp({ head: base, onto: base });
  const known = named.key === null ? null : await ctx.store.runs.baseVerdict(run.id, hashFor(named.key));
  if (known?.passed === true) {
    await keepOfBase(ctx, { run, repo: access, base, verdict: known });
    return null;
  }
  const { verdict, setUp, setUpKey } = await judgeBase(ctx, { repo: access, base, gates, named });
  // No state of files has such a name: what was judged with a set-up that has none is judged again.
  await ctx.store.runs.saveBaseVerdict(run.id, { verdict, checksHash: hashFor(setUpKey ?? 'unnamed') });
  await keepOfBase(ctx, { run, repo: access, base, verdict });
  if (verdict.passed) return null;
  const root = repo.host === null ? null : repo.location;
  const advice = await adviceFor(ctx, { root, workspace, verdict, setUp });
  const branch =
    (await reasonOf(access.clone.fetchTarget(run.target), 'REF_INVALID')) === null ? run.target : null;
  const when = branch === null ? {} : { when: `taken from ${branch}, before any work` };
  return `BASE_RED: ${baseRedText({ base, verdict, advice, workspace, branch, ...when })}`;
}
