import { planTasks, type Plan } from '@baton/contracts';
import type { RunDraft } from '@baton/task-store';

const source = { kind: 'plan', by: 'tester', trusted: true } as const;

/** What the store takes to make a run of a plan, with everything else at its default. */
export function runDraftOf(plan: Plan, slug: string): RunDraft {
  return {
    slug,
    name: plan.name,
    repo: { location: '/repo', host: 'here' },
    target: `baton/${slug}`,
    baseCommit: 'b'.repeat(40),
    batchSize: 3,
    maxAgents: null,
    trust: 'observe',
    review: false,
    budgetMicroUsd: null,
    gates: [],
    allowRed: [],
    workspace: null,
    agents: {},
    defaultAgent: null,
    routing: null,
    plan,
    tasks: planTasks(plan, { source }),
    createdBy: 'operator:tester',
  };
}
