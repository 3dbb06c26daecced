import { planTasks, type Ids, type Plan, type TaskSource } from '@baton/contracts';
import type { PluginBus } from '@baton/plugins';
import type { Run, RunDefaults, Store, Task } from '@baton/task-store';
import { interceptDrafts } from './create-tasks.ts';
import { pinnedPlan } from './pinned-plan.ts';

/** A plan that shall be carried out, with where. */
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
  const judged = pinnedPlan(plan, pinned);
  // In whose name commits land is the operator's to say, where there is one.
  const { commits: _, ...nameless } = plan;
  const tasks = await interceptDrafts(ctx.plugins, {
    runId: null,
    drafts: planTasks(plan, { source: submission.source }),
  });
  const slug = `${plan.name
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 40)}-${ctx.ids.uuid().slice(-6)}`;
  return ctx.store.createRun(
    {
      slug,
      name: plan.name,
      repo: submission.repo,
      target: plan.target ?? `baton/${slug}`,
      baseCommit: submission.baseCommit,
      batchSize: plan.batch_size,
      maxAgents: plan.max_agents ?? null,
      trust: plan.trust,
      review: plan.review,
      budgetMicroUsd: plan.budget?.usd ?? null,
      allowRed: plan.allow_red,
      ...judged,
      defaultAgent: plan.agent ?? pinned?.defaultAgent ?? null,
      plan: pinned === null ? plan : nameless,
      tasks,
      createdBy: submission.actor,
    },
    { actor: submission.actor, reason: `plan "${plan.name}" submitted` },
  );
}
