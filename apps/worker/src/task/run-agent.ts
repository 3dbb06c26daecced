import { isFree, runCatalog } from '@baton/router-cost';
import type { TaskStart } from '@baton/spawner';
import type { WorkerContext } from '../context/context.ts';
import type { StopReason } from '../context/stop-reason.ts';
import { stopSwitch } from './stop-switch.ts';
import { recordStream } from './record-stream.ts';
import { createMeter } from './meter.ts';
import type { OpenBatch } from '../open/open-batch.ts';
import type { Place } from './place.ts';
import { promptOf } from './prompt-of.ts';
import { unpayable } from './spent-out.ts';
import type { AgentResult, Finished } from './agent-result.ts';

/** Lets the agent do one task, and writes down what its stream says: moves fenced, usage booked, events kept. */
export async function runAgentTask(
  ctx: WorkerContext,
  batch: OpenBatch,
  place: Place & { start: TaskStart; timeoutMs: number },
): Promise<AgentResult> {
  const { task, attempt } = place.claimed;
  using stop = stopSwitch(ctx, batch, attempt.id);
  const { stopFor } = stop;
  const priced = { store: ctx.store, clock: ctx.clock, catalog: runCatalog(batch.claim.run.routing) };
  const { agentName, model } = batch.route;
  const isCommand = batch.agent.adapter === 'command';
  const meter = createMeter(priced, {
    attemptId: attempt.id,
    ...{ model, isCommand },
    isFirst: attempt.number === 1,
    maxCostMicroUsd: task.maxCostMicroUsd,
    stopFor,
  });
  const { overspent } = meter;
  const stream = recordStream(ctx, batch, { place, meter, stopFor });
  try {
    const free = isFree(priced.catalog, model, { at: ctx.clock.now() });
    const unpaid = unpayable(task, { name: agentName, isCommand, isFree: free });
    if (unpaid !== null) return { ...unstarted(unpaid, 'max_cost'), overspent };
    const built = await promptOf(ctx, batch, place);
    if ('vetoed' in built) return { ...unstarted(built.vetoed, 'veto'), overspent };
    if (!(await meter.begin())) return { ...unstarted('its attempt has ended', 'lease_lost'), overspent };
    const finished = await batch.agent.runTask(
      {
        prompt: built.prompt,
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
    const spawned = stream.hasSpawned();
    const { measured } = await meter.close({ spawned });
    return { finished, ...stop.state(), spawned, overspent, measured };
  } finally {
    stream.stopWatching();
  }
}

/** Nothing was started. */
function unstarted(summary: string, stopped: StopReason): Omit<AgentResult, 'overspent'> {
  const finished: Finished = {
    type: 'finished',
    outcome: 'cancelled',
    summary,
    exitCode: null,
    abortReason: null,
    resetAt: null,
  };
  return { finished, stopped, abortReason: null, spawned: false, measured: true };
}
