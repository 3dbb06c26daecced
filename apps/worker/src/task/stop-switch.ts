import type { AbortReason } from '@baton/fsm-core';
import { abortReasonOf } from '../abort/abort-chain.ts';
import type { WorkerContext } from '../context/context.ts';
import type { StopReason } from '../context/stop-reason.ts';
import type { OpenBatch } from '../open/open-batch.ts';
import type { AgentResult } from './agent-result.ts';

/** How others stop the agent that is at an attempt, until it is disposed of. The first reason counts. */
export interface StopSwitch extends Disposable {
  stopFor: (reason: StopReason, why?: AbortReason) => void;
  /** Aborted with the reason that the agent is given. */
  signal: AbortSignal;
  /** Why it was stopped so far; both null: it was not. */
  state(): Pick<AgentResult, 'stopped' | 'abortReason'>;
}

/** Connects an agent with all that may stop it: its own meter, a cancel, a lost lease, the end of the worker, the abort chain. */
export function stopSwitch(
  ctx: Pick<WorkerContext, 'live'>,
  batch: Pick<OpenBatch, 'live'>,
  attemptId: string,
): StopSwitch {
  const stop = new AbortController();
  let stopped: StopReason | null = null;
  let abortReason: AbortReason | null = null;
  const stopFor = (reason: StopReason, why: AbortReason = abortReasonOf(reason)): void => {
    stopped ??= reason;
    abortReason ??= why;
    stop.abort(abortReason);
  };
  ctx.live.set(attemptId, stopFor);
  batch.live.onStop(stopFor);
  return {
    stopFor,
    signal: stop.signal,
    state: () => ({ stopped, abortReason }),
    [Symbol.dispose]() {
      batch.live.onStop(() => undefined);
      ctx.live.delete(attemptId);
    },
  };
}
