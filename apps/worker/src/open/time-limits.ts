import { chooseTimeout, type Route, type TimeoutChoice } from '@baton/router-cost';
import type { Claim } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';

/** Time-outs of a batch's tasks, by id, from what landed tasks of their role and scope took in this repository. */
export async function timeLimits(
  ctx: Pick<WorkerContext, 'recent'>,
  { claim, route }: { claim: Claim; route: Route },
): Promise<ReadonlyMap<string, TimeoutChoice>> {
  const limits = new Map<string, TimeoutChoice>();
  for (const { task } of claim.tasks) {
    const { role, scope, timeoutMs } = task;
    const alike = claim.tasks.find((other) => limits.has(other.task.id) && sameLimits(other.task, task));
    const known = alike && limits.get(alike.task.id);
    const history =
      known || timeoutMs !== null ? [] : await ctx.recent.durations({ repoId: claim.repo.id, role, scope });
    limits.set(task.id, known ?? chooseTimeout({ task, route, history }));
  }
  return limits;
}

type Limited = Pick<Claim['tasks'][number]['task'], 'role' | 'scope' | 'timeoutMs'>;

function sameLimits(one: Limited, other: Limited): boolean {
  return one.role === other.role && one.scope === other.scope && one.timeoutMs === other.timeoutMs;
}
