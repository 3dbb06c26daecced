import type { AgentEvent, Clock } from '@baton/contracts';
import type { TaskHandlers } from '@baton/spawner';
import type { WorkerContext } from '../context/context.ts';
import type { StopReason } from '../context/stop-reason.ts';
import type { OpenBatch } from '../open/open-batch.ts';
import { createMoves, type StartedPlace } from './attempt-moves.ts';
import type { Meter } from './meter.ts';
import { createSigns } from './signs-of-life.ts';
import { watchTools } from './stuck-tools.ts';
import { createTurnFacts } from './turn-facts.ts';

/** Handlers of one task's stream; each write that the store refuses as lost stops the agent. */
export function recordStream(
  ctx: WorkerContext,
  batch: OpenBatch,
  { place, meter, stopFor }: { place: StartedPlace; meter: Meter; stopFor: (reason: StopReason) => void },
): Required<TaskHandlers> & { onEnd(): Promise<void>; hasSpawned(): boolean; stopWatching(): void } {
  const attemptId = place.claimed.attempt.id;
  const { sessionId } = batch.claim;
  const { streams } = ctx.store;
  const moves = createMoves(ctx, batch, { place, stopFor });
  const [turn, stamp] = [createTurnFacts(), differentTimes(ctx.clock)];
  const tools = watchTools(ctx, { sessionId });
  const sign = createSigns(ctx, { sessionId });
  return {
    onSpawn: (spawned) => moves.onSpawn(spawned),
    onTold: (event) => meter.notice(event),
    async onEvent(event: AgentEvent): Promise<void> {
      const at = stamp();
      // First of all: nothing that fails below may keep money from being booked, or its end from being noticed.
      await meter.hear(event);
      tools.see(event);
      if (event.type !== 'finished' || event.outcome === 'done') await moves.begin();
      for (const fact of turn.of(event)) await moves.report(fact);
      await streams.append([{ sessionId, attemptId, event, at }]);
      await sign(event, at);
    },
    onCheckpoint: (checkpoint) => streams.appendCheckpoint({ attemptId, checkpoint }),
    hasSpawned: () => moves.hasSpawned(),
    stopWatching: () => tools.stop(),
    async onEnd(): Promise<void> {
      for (const fact of turn.close()) await moves.report(fact);
    },
  };
}

/** Gives each event of a stream a time of its own, by which one that is written again is known. */
function differentTimes(clock: Clock): () => Date {
  let last = 0;
  return () => new Date((last = Math.max(clock.now().getTime(), last + 1)));
}
