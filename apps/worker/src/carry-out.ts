import type { AgentEvent } from '@baton/contracts';
import { priceUsage } from '@baton/router-cost';
import { renderPrompt, type TaskStart } from '@baton/spawner';
import type { Fact } from '@baton/task-store';
import { actorOf, type StopReason, type WorkerContext } from './context.ts';
import type { OpenBatch } from './open-batch.ts';
import type { Place } from './run-task.ts';
import { createTurnFacts } from './turn-facts.ts';

type Finished = Extract<AgentEvent, { type: 'finished' }>;

/** How the agent's part of a task went. */
export interface CarriedOut {
  finished: Finished;
  /** Set when we told the agent to stop. */
  stopped: StopReason | null;
}

/** Lets the agent do one task, and writes down what its stream says: moves fenced, usage booked, events kept. */
export async function carryOut(
  ctx: WorkerContext,
  batch: OpenBatch,
  place: Place & { start: TaskStart; timeoutMs: number },
): Promise<CarriedOut> {
  const { task, attempt } = place.claimed;
  const stop = new AbortController();
  let stopped: StopReason | null = null;
  const stopFor = (reason: StopReason): void => {
    stopped ??= reason;
    stop.abort();
  };
  ctx.live.set(attempt.id, stopFor);
  const stream = followStream(ctx, batch, { place, stopFor });
  try {
    const finished = await batch.agent.runTask(
      {
        prompt: await promptOf(ctx, batch, place),
        taskFile: {
          id: task.id,
          key: task.key,
          title: task.title,
          goal: task.goal,
          files: task.files,
          attempt: attempt.number,
          rejections: place.claimed.rejections,
        },
        timeoutMs: place.timeoutMs,
        signal: stop.signal,
      },
      stream,
    );
    await stream.onEnd();
    return { finished, stopped };
  } finally {
    ctx.live.delete(attempt.id);
  }
}

/** Handlers of one task's stream; each write that the store refuses as lost stops the agent. */
function followStream(
  ctx: WorkerContext,
  batch: OpenBatch,
  {
    place,
    stopFor,
  }: {
    place: Place & { start: TaskStart; timeoutMs: number };
    stopFor: (reason: StopReason) => void;
  },
) {
  const { attempt } = place.claimed;
  const holding = { attemptId: attempt.id, fence: attempt.fence };
  const sessionId = batch.claim.sessionId;
  const turn = createTurnFacts();
  let launched = !place.first;
  let begun = false;
  let process: { pid: number; pidStarted: string | null } | null = null;
  let lastSign = 0;
  const report = async (fact: Fact): Promise<void> => {
    const outcome = await ctx.store.record(fact, { actor: actorOf(ctx) });
    if (!outcome.ok && outcome.code === 'LEASE_LOST') stopFor('lease_lost');
    else if (!outcome.ok) ctx.log.warn('a move was refused', { fact: fact.fact, message: outcome.message });
  };
  const launch = async (): Promise<void> => {
    if (launched) return;
    launched = true;
    await report({
      fact: 'launched',
      holdings: batch.claim.tasks.map((item) => ({ attemptId: item.attempt.id, fence: item.attempt.fence })),
      adapter: batch.agent.adapter,
      model: batch.route.model,
      pid: process?.pid ?? null,
      pidStarted: process?.pidStarted ?? null,
      workspace: batch.workspace.path,
      deadlineAt: new Date(ctx.clock.now().getTime() + place.timeoutMs),
      route: {
        agent: batch.route.agentName,
        model: batch.route.model,
        effort: batch.route.effort,
        reasons: batch.route.reasons,
      },
    });
  };
  const begin = async (): Promise<void> => {
    if (begun) return;
    begun = true;
    await launch();
    const start = { baseCommit: place.start.baseCommit, startCommit: place.start.startCommit };
    if (place.first) await report({ fact: 'ready', holding, ...start });
    else
      await report({
        fact: 'next_task',
        holding,
        ...start,
        pid: process?.pid ?? null,
        pidStarted: process?.pidStarted ?? null,
      });
  };
  return {
    async onSpawn(spawned: { pid: number; pidStarted: string | null }): Promise<void> {
      process = spawned;
      await launch();
    },
    async onEvent(event: AgentEvent): Promise<void> {
      const at = ctx.clock.now();
      if (event.type !== 'finished' || event.outcome === 'done') await begin();
      for (const fact of turn.of(event)) await report({ fact, holding });
      await ctx.store.appendAgentEvents([{ sessionId, attemptId: attempt.id, event, at }]);
      if (event.type === 'usage') await book(ctx, { attemptId: attempt.id, event, stopFor });
      if (at.getTime() - lastSign < 5_000) return;
      lastSign = at.getTime();
      await ctx.store.touchSession(sessionId, { lastSignAt: at });
    },
    async onEnd(): Promise<void> {
      for (const fact of turn.close()) await report({ fact, holding });
    },
  };
}

async function book(
  ctx: WorkerContext,
  {
    attemptId,
    event,
    stopFor,
  }: {
    attemptId: string;
    event: Extract<AgentEvent, { type: 'usage' }>;
    stopFor: (reason: StopReason) => void;
  },
): Promise<void> {
  const price = event.usage.costMicroUsd ?? priceUsage(ctx.catalog, event.usage);
  const costMicroUsd = typeof price === 'number' ? price : 'costMicroUsd' in price ? price.costMicroUsd : 0;
  const booked = await ctx.store.recordUsage({
    attemptId,
    offset: event.offset,
    usage: event.usage,
    costMicroUsd,
  });
  if (booked.capReached) stopFor('budget');
}

async function promptOf(
  ctx: WorkerContext,
  batch: OpenBatch,
  { claimed, start }: Place & { start: TaskStart },
): Promise<string> {
  const prompt = renderPrompt({
    role: claimed.task.role,
    task: claimed.task,
    attempt: claimed.attempt.number,
    rejections: claimed.rejections,
    continued: start.continued,
    salvageRef: claimed.salvageRef,
    predecessors: claimed.predecessors,
    gates: batch.claim.run.gates,
    workspace: batch.workspace.path,
  });
  const built = await ctx.plugins?.intercept('prompt:build', {
    runId: batch.claim.run.id,
    taskId: claimed.task.id,
    prompt,
  });
  return built?.ok ? built.payload.prompt : prompt;
}
