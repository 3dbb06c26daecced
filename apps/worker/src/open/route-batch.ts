import type { Reviewer } from '@baton/contracts';
import { route, runCatalog, type PastAttempt, type RouteDecision, type RouteInput } from '@baton/router-cost';
import { costTellers, silentAgents } from '@baton/spawner';
import type { Claim, Task } from '@baton/task-store';
import { z } from 'zod';
import type { WorkerContext } from '../context/context.ts';
import { policiesOf } from '../context/policies.ts';
import { reviewerTask } from '../review/choose-reviewer.ts';

/** A plugin's veto instead of a route. */
export type BatchRouting = RouteDecision | { ok: false; code: 'PLUGIN_VETO'; message: string; fix: string };

/** Chooses agent and model by the head of the batch; its mates share the hints (docs/spec/store.md#claims). */
export async function routeBatch(ctx: WorkerContext, claim: Claim): Promise<BatchRouting> {
  const task = claim.tasks[0]?.task;
  if (!task)
    return {
      ok: false,
      code: 'AGENT_UNKNOWN',
      message: 'The claim holds no task.',
      fix: 'Report this as a bug.',
    };
  const hints = await hintsFor(ctx, task);
  if (!hints.ok)
    return { ok: false, code: 'PLUGIN_VETO', message: `plugin ${hints.by}: ${hints.reason}`, fix: '' };
  return route(await routeInput(ctx, claim, { task: { ...task, ...hints.change }, ended: [] }));
}

/**
 * The agent that would be chosen for a task after an attempt that ended so; null: none, or the same again. What the run, the
 * role or the task names stays.
 */
export async function agentAfter(
  ctx: WorkerContext,
  claim: Claim,
  { task, ended }: { task: Task; ended: PastAttempt },
): Promise<string | null> {
  const next = route(await routeInput(ctx, claim, { task, ended: [ended] }));
  return next.ok && next.agentName !== ended.agent ? next.agentName : null;
}

/** The agent that reads the work of a task, chosen as that of a task is. What it may spend is a part of what its author may. */
export async function routeReviewer(
  ctx: WorkerContext,
  claim: Claim,
  { task, reviewer }: { task: Task; reviewer: Reviewer },
): Promise<RouteDecision> {
  const run = (await ctx.store.runs.get(claim.run.id)) ?? claim.run;
  const asked = { ...reviewerTask(task, reviewer), id: task.id };
  const input = await routeInput(ctx, { ...claim, run }, { task: asked, ended: [] });
  return route({ ...input, history: [], budget: { ...input.budget, reservationMicroUsd: 0 } });
}

async function routeInput(
  ctx: WorkerContext,
  claim: Claim,
  { task, ended }: { task: RouteInput['task'] & Pick<Task, 'id'>; ended: readonly PastAttempt[] },
): Promise<RouteInput> {
  const { run } = claim;
  const history = await ctx.store.tasks.attempts(task.id);
  const reserved = await reservedFor(ctx, claim);
  return {
    task,
    run: { agents: run.agents, defaultAgent: run.defaultAgent, routing: run.routing },
    installed: await ctx.recent.agents(),
    history: [
      ...history
        .filter((attempt) => attempt.outcome !== null)
        .map((attempt) => ({ outcome: attempt.outcome, ...chosen(attempt.route) })),
      ...ended,
    ],
    budget: {
      capMicroUsd: run.budgetMicroUsd,
      spentMicroUsd: run.spentMicroUsd,
      reservedMicroUsd: run.reservedMicroUsd,
      // The claim has reserved for this batch already.
      reservationMicroUsd: reserved[0] ?? 0,
      ownReservationMicroUsd: reserved.reduce((sum, share) => sum + share, 0),
    },
    catalog: runCatalog(run.routing),
    costTellers: tellersOf(run),
    at: ctx.clock.now(),
    ...(policiesOf(run).refusesUnmeasured
      ? { unmeasuredAgents: [...silentAgents, ...(await ctx.store.streams.unmeasuredAgents(run.id))] }
      : {}),
  };
}

/** A name that the run redefines may be any program. */
function tellersOf(run: Claim['run']): string[] {
  return costTellers.filter((name) => !Object.hasOwn(run.agents, name));
}

type Hints = Pick<Task, 'agent' | 'model' | 'effort'>;

async function hintsFor(
  ctx: WorkerContext,
  task: Task,
): Promise<{ ok: true; change: Partial<Hints> } | { ok: false; by: string; reason: string }> {
  const named = typeof task.agent === 'string' ? task.agent : null;
  const before = { agent: named, model: task.model, effort: task.effort };
  const outcome = await ctx.plugins?.intercept('cost:beforeRoute', {
    runId: task.runId,
    taskId: task.id,
    role: task.role,
    ...before,
  });
  if (outcome === undefined) return { ok: true, change: {} };
  if (!outcome.ok) return { ok: false, by: outcome.by, reason: outcome.reason };
  const { agent, model, effort } = outcome.payload;
  // An agent that the plan defines in place has no name; it stays unless a plugin names another one.
  return { ok: true, change: { model, effort, ...(agent === named ? {} : { agent }) } };
}

/** What the claim reserved for each task of the batch. */
async function reservedFor(ctx: WorkerContext, { run, tasks }: Claim): Promise<number[]> {
  if (run.budgetMicroUsd === null) return [];
  const shares = await ctx.store.streams.shares(tasks.map(({ attempt }) => attempt.id));
  const byId = new Map(shares.map((share) => [share.attemptId, share.reservedMicroUsd ?? 0]));
  return tasks.map(({ attempt }) => byId.get(attempt.id) ?? 0);
}

const storedRoute = z.object({ agent: z.string().nullable(), model: z.string().nullable() });

/** Agent and model of an earlier attempt, as its route was stored. */
function chosen(stored: unknown): { agent: string | null; model: string | null } {
  const parsed = storedRoute.safeParse(stored);
  return parsed.success ? parsed.data : { agent: null, model: null };
}
