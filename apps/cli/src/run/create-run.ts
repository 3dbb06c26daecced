import { hostname } from 'node:os';

import { BatonError, routingOf, type Plan, type RepoConfig, type TaskDraft } from '@baton/contracts';
import { runOfPlan, type Run, type Store } from '@baton/task-store';

import type { Call } from '../terminal/call.ts';
import type { Project } from '../project/project.ts';
import { operator } from '../project/with-store.ts';
import type { Target } from './choose-target.ts';
import { withPerson } from './person.ts';

/** Writes the run with its tasks: all PLANNED when it is to be reviewed, else approved in the operator's name. */
export async function createRun(
  call: Call,
  store: Store,
  options: {
    project: Project;
    plan: Plan;
    config: RepoConfig;
    tasks: TaskDraft[];
    target: Target;
    slug: string;
  },
): Promise<Run> {
  const { config, tasks, target, slug, project } = options;
  const plan = await withPerson(call, project, options.plan);
  const { run } = await store.runs.create(
    {
      ...runOfPlan(plan),
      slug,
      repo: { location: project.root, host: hostname() },
      target: target.target,
      baseCommit: target.baseCommit,
      routing: routingOf(config),
      tasks,
    },
    operator(call, 'baton run'),
  );
  await approveOwnPlan(call, store, run);
  return run;
}

/**
 * Approves what is still PLANNED in the operator's name, unless the run is to be reviewed. Also on resuming: a
 * process killed between the two steps leaves a run that no one approves.
 */
export async function approveOwnPlan(call: Call, store: Store, run: Run): Promise<void> {
  if (!run.review)
    await store.runs.approvePlan(run.id, operator(call, 'an operator approves their own plan by running it'));
}

/** A misspelt name would silently allow nothing. @throws PLAN_INVALID */
export function refuseUnknownGates(plan: Plan): void {
  const known = plan.gates.map((gate) => gate.name);
  const wanted = [
    ...plan.allow_red,
    ...plan.stages.flatMap((stage) => stage.steps.flatMap((step) => step.allow_red)),
  ];
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new BatonError('PLAN_INVALID', `There is no gate "${unknown}" that could be allowed to be red.`, {
    fix:
      known.length > 0
        ? `The gates are: ${known.join(', ')}.`
        : 'Neither the plan nor baton.yaml has a gate.',
  });
}
