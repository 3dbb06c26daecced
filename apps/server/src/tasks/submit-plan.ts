import { BatonError, planTasks, runSlug, type Ids, type Plan, type TaskSource } from '@baton/contracts';
import type { PluginBus } from '@baton/plugins';
import { runOfPlan, type Run, type RunDefaults, type Store, type Task } from '@baton/task-store';
import { interceptDrafts } from './create-tasks.ts';
import { pinnedPlan } from './pinned-plan.ts';

/** A plan that is to be carried out, with where. */
export interface PlanSubmission {
  plan: Plan;
  /** Settings that the operator pinned for the repository, or null. */
  pinned: RunDefaults | null;
  repo: { location: string; host: string | null };
  /** Null: the first worker pins it. */
  baseCommit: string | null;
  actor: string;
  source: TaskSource;
}

/** Creates the run of a plan with all its tasks PLANNED. @throws PLAN_INVALID, PLAN_CYCLE, PLAN_EMPTY, PLUGIN_VETO */
export async function submitPlan(
  ctx: { store: Store; plugins: PluginBus; ids: Ids },
  submission: PlanSubmission,
): Promise<{ run: Run; tasks: Task[] }> {
  const { plan, pinned } = submission;
  refuseRequests(plan);
  const judged = pinnedPlan(plan, pinned);
  // In whose name commits land, which of an agent's land, and how reds are confirmed is the operator's to say, where there is one.
  const { commits: _, history: __, flaky_above: ___, ...nameless } = plan;
  const tasks = await interceptDrafts(ctx.plugins, {
    runId: null,
    drafts: planTasks(plan, { source: submission.source }),
  });
  const slug = runSlug(plan.name, ctx.ids);
  return ctx.store.runs.create(
    {
      ...runOfPlan(pinned === null ? plan : nameless),
      ...judged,
      slug,
      repo: submission.repo,
      target: plan.target ?? `baton/${slug}`,
      baseCommit: submission.baseCommit,
      defaultAgent: plan.agent ?? pinned?.defaultAgent,
      tasks,
    },
    { actor: submission.actor, reason: `plan "${plan.name}" submitted` },
  );
}

/** A server has no checkout whose remote and login a pull request could be made with. @throws PLAN_INVALID */
function refuseRequests({ landing }: Plan): void {
  if (landing !== 'pull_request') return;
  throw new BatonError(
    'PLAN_INVALID',
    'The plan is not valid: landing: pull requests are opened by `baton run` in a checkout, and not by the server.',
    { at: 'landing', fix: 'Leave it out, or start the plan with `baton run`.' },
  );
}
