import { runCatalog } from '@baton/router-cost';
import type { WorkerContext } from '../context/context.ts';
import type { StopReason } from '../context/stop-reason.ts';
import type { OpenBatch } from '../open/open-batch.ts';
import type { AgentResult } from './agent-result.ts';
import { askReviewer, nothing, type Asked, type Said } from './ask-reviewer.ts';
import { createMeter } from './meter.ts';
import { stopSwitch } from './stop-switch.ts';

/** What a reviewer said, or why it was stopped. */
export type Heard = Said & {
  stop: Pick<AgentResult, 'stopped' | 'abortReason'> | null;
  /** Whether all that it spent is known. */
  measured: boolean;
};

/** Why a reviewer that was stopped gave no answer. */
export const stopTexts: Readonly<Record<StopReason, string>> = {
  cancel: 'the task was cancelled',
  lease_lost: 'another worker has the task now',
  shutdown: 'the worker was stopped',
  budget: 'the budget is spent',
  max_cost: 'the max_cost of the task is used up',
  veto: 'a plugin refused it',
  abort: 'it was stopped by the abort chain',
};

/**
 * Asks a reviewer as long as the attempt is ours and money is left, and books what it spends with the attempt.
 * @throws what booking threw; then what the reviewer spent stays unknown, and is booked at its bound
 */
export async function askWithin(
  ctx: WorkerContext,
  batch: OpenBatch,
  asked: Omit<Asked, 'meter' | 'signal' | 'onSpawn'>,
): Promise<Heard> {
  const { task, attempt } = asked.claimed;
  const { name: reviewer, model, definition } = asked.reviewer;
  using stop = stopSwitch(ctx, batch, attempt.id);
  let spawned = false;
  const catalog = runCatalog(batch.claim.run.routing);
  const meter = createMeter(
    { store: ctx.store, clock: ctx.clock, catalog },
    {
      ...{
        attemptId: attempt.id,
        reviewer,
        model,
        maxCostMicroUsd: task.maxCostMicroUsd,
        stopFor: stop.stopFor,
      },
      isCommand: 'command' in definition,
      isFirst: false, // its author has spent some of it
    },
  );
  const onSpawn = (): void => void (spawned = true);
  if (!(await meter.begin())) {
    stop.stopFor('lease_lost');
    return { ...nothing(stopTexts.lease_lost), stop: stop.state(), measured: true };
  }
  const said = await askReviewer(ctx, batch, { ...asked, meter, onSpawn, signal: stop.signal });
  const { measured } = await meter.close({ spawned });
  const state = stop.state();
  if (state.stopped === null) return { ...said, stop: null, measured };
  return { ...nothing(stopTexts[state.stopped]), stop: state, measured };
}
