import type { Clock } from '@baton/contracts';
import type { TaskStart } from '@baton/spawner';
import type { Progress } from '@baton/task-store';
import { actorOf, type WorkerContext } from '../context/context.ts';
import type { StopReason } from '../context/stop-reason.ts';
import type { OpenBatch } from '../open/open-batch.ts';
import type { Place } from './place.ts';
import type { TurnFact } from './turn-facts.ts';

/** A place whose workspace is at the task's start. */
export type StartedPlace = Place & { start: TaskStart; timeoutMs: number };

/** The process of an agent, as it is known when it starts. */
interface Spawned {
  pid: number;
  pidStarted: string | null;
}

/** Reports how one attempt moves on, each move with the attempt's fence. */
export interface AttemptMoves {
  onSpawn(spawned: Spawned): Promise<void>;
  /** Reports, once, that the agent works on the task. */
  begin(): Promise<void>;
  report(fact: TurnFact): Promise<void>;
  hasSpawned(): boolean;
}

/** Makes the moves of one attempt. A move that the store refuses because the lease is lost stops the agent. */
export function createMoves(
  ctx: Pick<WorkerContext, 'store' | 'clock' | 'log' | 'worker'>,
  batch: OpenBatch,
  { place, stopFor }: { place: StartedPlace; stopFor: (reason: StopReason) => void },
): AttemptMoves {
  const { attempt } = place.claimed;
  const holding = { attemptId: attempt.id, fence: attempt.fence };
  let launched = !place.first;
  let begun = false;
  let process: Spawned | null = null;
  const record = async (...facts: [Progress, ...Progress[]]): Promise<void> => {
    const outcome = await ctx.store.claims.recordAll(facts, { actor: actorOf(ctx) });
    if (!outcome.ok && outcome.code === 'LEASE_LOST') stopFor('lease_lost');
    else if (!outcome.ok)
      ctx.log.warn('a move was refused', { fact: facts[0].fact, message: outcome.message });
  };
  const started = () => ({
    pid: process?.pid ?? null,
    pidStarted: process?.pidStarted ?? null,
    deadlineAt: deadlineOf(ctx.clock, place),
  });
  const launch = (): Progress => {
    launched = true;
    return { fact: 'launched', ...launchOf(batch), ...started() };
  };
  const begin = async (): Promise<void> => {
    if (begun) return;
    begun = true;
    const start = { baseCommit: place.start.baseCommit, startCommit: place.start.startCommit };
    if (!place.first) return record({ fact: 'next_task', holding, ...start, ...started() });
    const ready: Progress = { fact: 'ready', holding, ...start };
    await (launched ? record(ready) : record(launch(), ready));
  };
  return {
    async onSpawn(spawned) {
      process = spawned;
      if (launched) return;
      // A command gets its prompt with its start: it is ready as soon as it is there.
      await (batch.agent.adapter === 'command' ? begin() : record(launch()));
    },
    begin,
    report: (fact) => record({ fact, holding }),
    hasSpawned: () => process !== null,
  };
}

const deadlineOf = (clock: Clock, { timeoutMs }: StartedPlace): Date =>
  new Date(clock.now().getTime() + timeoutMs);

/** What is known of a session before its process is there. */
function launchOf({ claim, agent, route, workspace, timeouts }: OpenBatch) {
  return {
    holdings: claim.tasks.map(({ attempt }) => ({ attemptId: attempt.id, fence: attempt.fence })),
    adapter: agent.adapter,
    model: route.model,
    workspace: workspace.path,
    route: {
      agent: route.agentName,
      model: route.model,
      effort: route.effort,
      reasons: route.reasons,
      timeouts: Object.fromEntries(claim.tasks.map(({ task }) => [task.key, timeouts.get(task.id) ?? null])),
    },
  };
}
