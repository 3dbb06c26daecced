import { BatonError, verifiesAhead, type CheckResult, type Gate, type Verdict } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import { leastIdle } from '../context/idle-processors.ts';
import type { RepoAccess } from '../context/repos.ts';
import { adviceFor, baseRedText, judgeBase, type BaseLook } from '../open/base-look.ts';

/** The gates that are why a tree was refused; none when something else is red as well: that is the work's own in any case. Pure. */
export function redGatesOf({ passed, results }: Verdict): CheckResult[] {
  if (passed) return [];
  const red = results.filter((result) => result.required && !result.passed);
  return red.some(({ kind }) => kind !== 'gate') ? [] : red;
}

/** What gates say of the target while work on it is verified that is known to be red. */
export interface EarlyLook extends AsyncDisposable {
  gates: readonly Gate[];
  /** Null: nothing. */
  said: Promise<BaseLook | null>;
}

/**
 * Asks the gates of a run about the target beside the work that they are expected to refuse, where two verifications may run at the same time
 * and a processor is idle; what still runs at the end is ended.
 */
export function lookEarly(
  ctx: WorkerContext,
  { work: { run }, repo, onto }: { work: LandingWork; repo: RepoAccess; onto: string },
): EarlyLook | undefined {
  if (!verifiesAhead(run.plan) || ctx.idleProcessors() < leastIdle) return undefined;
  const stopper = new AbortController();
  const own = { ...ctx, stopping: AbortSignal.any([ctx.stopping, stopper.signal]) };
  const gates = run.gates.filter(({ required }) => required);
  const said = lookAt(own, { repo, base: onto, gates });
  said.catch(() => undefined); // what it throws is thrown where it is asked for
  return {
    ...{ gates, said },
    async [Symbol.asyncDispose]() {
      stopper.abort();
      await said.catch(() => undefined);
    },
  };
}

/**
 * Asks the gates that are red on a candidate about the target as it is, before the work is blamed: a service that is down, or what a
 * person committed there, makes them red on both. Source: docs/spec/landing.md#confirmed-reds.
 *
 * @param options.onto Head of the target that the candidate was made on.
 * @param options.early What was asked of it already.
 * @returns why the work cannot be judged; null when the red is the work's own: something else is red too, or a gate is green on the
 *   target
 * @throws INTERRUPTED, WORKSPACE_FAILED, GIT_FAILED
 */
export async function redOnTarget(
  ctx: WorkerContext,
  { work, repo, onto, verdict, early }: RedWork,
): Promise<string | null> {
  const { run, task } = work;
  const names = redGatesOf(verdict).map(({ name }) => name);
  if (names.length === 0) return null;
  const gates = run.gates.filter(({ name }) => names.includes(name));
  const isAsked = early !== undefined && gates.every((gate) => early.gates.includes(gate));
  const look = isAsked ? onlyOf(await early.said, names) : await lookAt(ctx, { repo, base: onto, gates });
  if (look === null || look.verdict.results.some(({ kind, passed }) => kind === 'gate' && passed))
    return null;
  const { workspace } = run;
  const root = work.repo.host === null ? null : work.repo.location;
  const advice = await adviceFor(ctx, { root, workspace, ...look });
  return baseRedText({
    ...{ base: onto, verdict: look.verdict, advice, workspace, branch: run.target },
    when: `the head of ${run.target}, as it is on the finished work of ${task.key}: the work is not why`,
  });
}

/** Work that gates refuse. */
interface RedWork {
  work: LandingWork;
  repo: RepoAccess;
  onto: string;
  verdict: Verdict;
  early?: EarlyLook | undefined;
}

/** What some gates said. */
function onlyOf(look: BaseLook | null, names: readonly string[]): BaseLook | null {
  if (look === null) return null;
  const results = look.verdict.results.filter(({ kind, name }) => kind !== 'gate' || names.includes(name));
  return { ...look, verdict: { ...look.verdict, results } };
}

/** What keeps the target from being judged says nothing of the work, so that its red counts. */
async function lookAt(ctx: WorkerContext, asked: Parameters<typeof judgeBase>[1]): Promise<BaseLook | null> {
  try {
    return await judgeBase(ctx, asked);
  } catch (error) {
    if (BatonError.is(error) && (error.code === 'SETUP_FAILED' || error.code === 'TREE_DISTURBED'))
      return null;
    throw error;
  }
}
