import type { Plan } from '@baton/contracts';
import type { NewRun } from '../model/new-run.ts';

/** What a plan says of the run that carries it out; its place, its target and its tasks are the caller's to add. Pure. */
export function runOfPlan(plan: Plan): Omit<NewRun, 'tasks'> {
  return {
    name: plan.name,
    batchSize: plan.batch_size,
    maxAgents: plan.max_agents,
    trust: plan.trust,
    review: plan.review,
    budgetMicroUsd: plan.budget?.usd,
    gates: plan.gates,
    allowRed: plan.allow_red,
    workspace: plan.workspace,
    agents: plan.agents,
    defaultAgent: plan.agent,
    plan,
  };
}
