import { BatonError, type Verdict } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { RepoAccess } from '../context/repos.ts';
import { adviceFor, baseRedText, judgeBase } from '../open/base-look.ts';

/**
 * Asks the gates that are red on a candidate about the target as it is, before the work is blamed: a service that is down, or what a
 * person committed there, makes them red on both. Source: docs/spec/landing.md#confirmed-reds.
 *
 * @param options.onto Head of the target that the candidate was made on.
 * @returns why the work cannot be judged; null when the red is the work's own: something else is red too, or a gate is green on the
 *   target
 * @throws INTERRUPTED, WORKSPACE_FAILED, GIT_FAILED
 */
export async function redOnTarget(
  ctx: WorkerContext,
  { work, repo, onto, verdict }: { work: LandingWork; repo: RepoAccess; onto: string; verdict: Verdict },
): Promise<string | null> {
  const { run, task } = work;
  const red = verdict.results.filter(({ required, passed }) => required && !passed);
  if (red.length === 0 || red.some(({ kind }) => kind !== 'gate')) return null;
  const gates = run.gates.filter(({ name }) => red.some((result) => result.name === name));
  const look = await lookAt(ctx, { repo, base: onto, gates });
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

/** What keeps the target from being judged says nothing of the work, so that its red counts. */
async function lookAt(
  ctx: WorkerContext,
  asked: Parameters<typeof judgeBase>[1],
): Promise<Awaited<ReturnType<typeof judgeBase>> | null> {
  try {
    return await judgeBase(ctx, asked);
  } catch (error) {
    if (BatonError.is(error) && (error.code === 'SETUP_FAILED' || error.code === 'TREE_DISTURBED'))
      return null;
    throw error;
  }
}
