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
  /** Names the submission, so that it makes one run however often it is sent. */
  command?: { commandId?: string };
  source: TaskSource;
}

/** Creates the run of a plan with all its tasks PLANNED. @throws PLAN_INVALID, PLAN_CYCLE, PLAN_EMPTY, PLUGIN_VETO */
export async function submitPlan(
  ctx: { store: Store; plugins: PluginBus; ids: Ids },
  submission: PlanSubmission,
): Promise<{ run: Run; tasks: Task[] }> {
  const { pinned, repo } = submission;
  const plan = requestable(submission.plan, repo);
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
      repo,
      target: plan.landing === 'pull_request' ? `baton/${slug}-upstream` : (plan.target ?? `baton/${slug}`),
      baseCommit: submission.baseCommit,
      defaultAgent: plan.agent ?? pinned?.defaultAgent,
      tasks,
    },
    { actor: submission.actor, reason: `plan "${plan.name}" submitted`, ...submission.command },
  );
}

/**
 * The plan as it can be carried out: with pull requests an agent takes one task at a time, since each would wait until somebody has merged
 * the one before. Workers of the repository's host open them, from the checkout there and with the login of their user.
 * @throws PLAN_INVALID
 */
function requestable(plan: Plan, { location, host }: PlanSubmission['repo']): Plan {
  if (plan.landing !== 'pull_request') return plan;
  if (host === null)
    throw unrequestable('landing', {
      text: `pull requests are opened from a checkout, and ${location} is a URL`,
      fix: 'Name the path of a checkout on the host of a worker as the repository, or leave `landing` out.',
    });
  if (plan.target === undefined)
    throw unrequestable('target', {
      text: 'it does not say which branch of the remote pull requests go into',
      fix: 'Name one, as `target: main`.',
    });
  return { ...plan, batch_size: 1 };
}

function unrequestable(at: string, { text, fix }: { text: string; fix: string }): BatonError {
  return new BatonError('PLAN_INVALID', `The plan is not valid: ${at}: ${text}.`, { at, fix });
}
