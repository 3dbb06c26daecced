import type { AgentEvent, Clock } from '@baton/contracts';
import type { TaskHandlers, TaskStart } from '@baton/spawner';
import type { Progress } from '@baton/task-store';
import { createActivity } from '../context/activity.ts';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { type StopReason } from '../context/stop-reason.ts';
import type { Meter } from './meter.ts';
import type { OpenBatch } from '../open/open-batch.ts';
import type { Place } from './place.ts';
import { watchTools } from './stuck-tools.ts';
import { createTurnFacts } from './turn-facts.ts';

/** A sign of life is written this often at most, but for what a person wants to see at once. */
export const signMs = 5_000;

/** Handlers of one task's stream; each write that the store refuses as lost stops the agent. */
export function recordStream(
  ctx: WorkerContext,
  batch: OpenBatch,
  {
    place,
    meter,
    stopFor,
  }: {
    place: Place & { start: TaskStart; timeoutMs: number };
    meter: Meter;
    stopFor: (reason: StopReason) => void;
  },
): Required<TaskHandlers> & { onEnd(): Promise<void>; hasSpawned(): boolean; stopWatching(): void } {
  const { attempt } = place.claimed;
  const holding = { attemptId: attempt.id, fence: attempt.fence };
  const sessionId = batch.claim.sessionId;
  const [turn, stamp] = [createTurnFacts(), differentTimes(ctx.clock)];
  const tools = watchTools(ctx, { sessionId });
  let launched = !place.first;
  let begun = false;
  let process: { pid: number; pidStarted: string | null } | null = null;
  const activityOf = createActivity();
  let lastSign = 0;
  let modelSaid = false;
  let unsaid: { activity?: string; model?: string } = {};
  const report = async (...facts: [Progress, ...Progress[]]): Promise<void> => {
    const outcome = await ctx.store.claims.recordAll(facts, { actor: actorOf(ctx) });
    if (!outcome.ok && outcome.code === 'LEASE_LOST') stopFor('lease_lost');
    else if (!outcome.ok)
      ctx.log.warn('a move was refused', { fact: facts[0].fact, message: outcome.message });
  };
  const deadlineAt = (): Date => new Date(ctx.clock.now().getTime() + place.timeoutMs);
  const launchedFact = (): Progress => {
    launched = true;
    return {
      fact: 'launched',
      holdings: batch.claim.tasks.map((item) => ({ attemptId: item.attempt.id, fence: item.attempt.fence })),
      adapter: batch.agent.adapter,
      model: batch.route.model,
      pid: process?.pid ?? null,
      pidStarted: process?.pidStarted ?? null,
      workspace: batch.workspace.path,
      deadlineAt: deadlineAt(),
      route: {
        agent: batch.route.agentName,
        model: batch.route.model,
        effort: batch.route.effort,
        reasons: batch.route.reasons,
        timeouts: Object.fromEntries(
          batch.claim.tasks.map(({ task }) => [task.key, batch.timeouts.get(task.id) ?? null]),
        ),
      },
    };
  };
  const begin = async (): Promise<void> => {
    if (begun) return;
    begun = true;
    const start = { baseCommit: place.start.baseCommit, startCommit: place.start.startCommit };
    if (place.first) {
      const ready: Progress = { fact: 'ready', holding, ...start };
      await (launched ? report(ready) : report(launchedFact(), ready));
    } else
      await report({
        fact: 'next_task',
        holding,
        ...start,
        pid: process?.pid ?? null,
        pidStarted: process?.pidStarted ?? null,
        deadlineAt: deadlineAt(),
      });
  };
  return {
    async onSpawn(spawned: { pid: number; pidStarted: string | null }): Promise<void> {
      process = spawned;
      if (launched) return;
      // A command gets its prompt with its start: it is ready as soon as it is there.
      await (batch.agent.adapter === 'command' ? begin() : report(launchedFact()));
    },
    onTold: (event) => meter.notice(event),
    async onEvent(event: AgentEvent): Promise<void> {
      const at = stamp();
      // First of all: nothing that fails below may keep money from being booked, or its end from being noticed.
      await meter.hear(event);
      tools.see(event);
      if (event.type !== 'finished' || event.outcome === 'done') await begin();
      for (const fact of turn.of(event)) await report({ fact, holding });
      await ctx.store.streams.append([{ sessionId, attemptId: attempt.id, event, at }]);
      const activity = activityOf(event);
      if (activity !== null) unsaid.activity = activity.text;
      if (event.type === 'usage' && event.usage.model !== null && !modelSaid) {
        modelSaid = true;
        unsaid.model = event.usage.model;
      }
      if (activity?.urgent !== true && at.getTime() - lastSign < signMs) return;
      lastSign = at.getTime();
      const said = unsaid;
      unsaid = {};
      await ctx.store.streams.touchSession(sessionId, { lastSignAt: at, ...said });
    },
    onCheckpoint: (checkpoint) => ctx.store.streams.appendCheckpoint({ attemptId: attempt.id, checkpoint }),
    hasSpawned: () => process !== null,
    stopWatching: () => tools.stop(),
    async onEnd(): Promise<void> {
      for (const fact of turn.close()) await report({ fact, holding });
    },
  };
}

/** Gives each event of a stream a time of its own, by which one that is written again is known. */
function differentTimes(clock: Clock): () => Date {
  let last = 0;
  return () => new Date((last = Math.max(clock.now().getTime(), last + 1)));
}
