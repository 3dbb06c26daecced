import { planTasks, type Plan } from '@baton/contracts';
import type { NewRun } from '@baton/task-store';

const source = { kind: 'plan', by: 'tester', trusted: true } as const;

/** What the store takes to make a run of a plan, with everything else at its default. */
export function runDraftOf(plan: Plan, slug: string): NewRun {
  return {
    ...{ slug, name: plan.name, repo: { location: '/repo', host: 'here' }, baseCommit: 'b'.repeat(40) },
    plan,
    tasks: planTasks(plan, { source }),
  };
}
