import type { AgentDefinition } from '@baton/contracts';
import { route, type RouteDecision } from '@baton/router-cost';
import { installedAgents } from '@baton/spawner';
import type { Claim } from '@baton/task-store';
import type { WorkerContext } from './context.ts';

/** The agent that was chosen for a batch, with why. */
export interface BatchRoute {
  agentName: string;
  /** Null: an installed agent known by its name. */
  definition: AgentDefinition | null;
  model: string | null;
  effort: string | null;
  reasons: string[];
}

/** Chooses agent and model by the head of the batch; its mates share the hints (store.md §2). */
export async function routeBatch(ctx: WorkerContext, claim: Claim): Promise<RouteDecision> {
  const head = claim.tasks[0];
  if (!head)
    return { ok: false, code: 'AGENT_UNKNOWN', message: 'The claim holds no task.', fix: 'This is a bug.' };
  const history = await ctx.store.attempts(head.task.id);
  return route({
    task: head.task,
    run: { agents: claim.run.agents, defaultAgent: claim.run.defaultAgent, routing: claim.run.routing },
    installed: await installedAgents({ env: ctx.operatorEnv }),
    history: history
      .filter((attempt) => attempt.outcome !== null)
      .map((attempt) => ({ outcome: attempt.outcome ?? '', route: attempt.route })),
    budget: {
      capMicroUsd: claim.run.budgetMicroUsd,
      spentMicroUsd: claim.run.spentMicroUsd,
      reservedMicroUsd: claim.run.reservedMicroUsd,
    },
    catalog: ctx.catalog,
  });
}
