import { z } from 'zod';
import { route, type RouteDecision } from '@baton/router-cost';
import { installedAgents } from '@baton/spawner';
import type { Claim } from '@baton/task-store';
import type { WorkerContext } from './context.ts';

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
      .map((attempt) => ({ outcome: attempt.outcome, ...chosen(attempt.route) })),
    budget: {
      capMicroUsd: claim.run.budgetMicroUsd,
      spentMicroUsd: claim.run.spentMicroUsd,
      reservedMicroUsd: claim.run.reservedMicroUsd,
    },
    catalog: ctx.catalog,
  });
}

const storedRoute = z.object({ agent: z.string().nullable(), model: z.string().nullable() });

/** Agent and model of an earlier attempt, as its route was stored. */
function chosen(route: unknown): { agent: string | null; model: string | null } {
  const parsed = storedRoute.safeParse(route);
  return parsed.success ? parsed.data : { agent: null, model: null };
}
