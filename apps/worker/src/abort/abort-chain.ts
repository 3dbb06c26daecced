import {
  planAbort,
  type AbortReason,
  type AbortRequest,
  type AbortScope,
  type SessionLink,
} from '@baton/fsm-core';
import type { WorkerContext } from '../context/context.ts';
import type { StopReason } from '../context/stop-reason.ts';

/** What an abort came to. */
export interface Aborted {
  /** How far it reached, by the run's policy. */
  scope: AbortScope;
  /** False: the agent cannot stop a single call (`ABORT_UNSUPPORTED`). Null: no call was to be stopped. */
  toolStopped: boolean | null;
}

/**
 * Carries an abort out on the agents of this worker: each level contains its failure unless the run's policy passes it on.
 * A run is the parent of its agents, so that siblings are the agents of one run. Source: docs/spec/kernel.md#abort-chain-binding.
 */
export function abort(ctx: Pick<WorkerContext, 'sessions' | 'log'>, request: AbortRequest): Aborted {
  const session = ctx.sessions.get(request.sessionId);
  const { scope, steps } = planAbort(linksOf(ctx), request, session?.policy);
  let toolStopped: boolean | null = null;
  for (const step of steps) {
    const live = ctx.sessions.get(step.sessionId);
    if (step.action === 'abort_tool') toolStopped = live?.abortTool(step.toolCallId) ?? false;
    else live?.stop(stopOf(step.abortReason), step.abortReason);
  }
  if (scope !== request.scope || scope !== 'TOOL')
    ctx.log.info('an abort was carried out', { ...request, scope, sessions: steps.length });
  return { scope, toolStopped };
}

/** Stops the siblings of a session whose call was denied, if the run's policy says so; else no one. */
export function afterDenial(ctx: Pick<WorkerContext, 'sessions' | 'log'>, sessionId: string): void {
  const policy = ctx.sessions.get(sessionId)?.policy;
  if (policy?.toolToSibling === true)
    abort(ctx, { scope: 'SIBLING', sessionId, reason: 'permission_denied' });
}

function linksOf({ sessions }: Pick<WorkerContext, 'sessions'>): SessionLink[] {
  const links = [...sessions.values()].map(({ sessionId, runId }) => ({ sessionId, parentSessionId: runId }));
  const runs = new Set([...sessions.values()].map(({ runId }) => runId));
  return [...links, ...[...runs].map((sessionId) => ({ sessionId, parentSessionId: null }))];
}

function stopOf(reason: AbortReason): StopReason {
  return reason === 'shutdown_signal' ? 'shutdown' : 'abort';
}

/** The reason that an agent gets when one of its tasks is stopped. */
export function abortReasonOf(stop: StopReason): AbortReason {
  switch (stop) {
    case 'cancel':
      return 'user_interrupt';
    case 'lease_lost':
      return 'parent_aborted';
    case 'shutdown':
    case 'budget':
    case 'max_cost':
      return 'shutdown_signal';
    case 'veto':
      return 'permission_denied';
    case 'abort':
      return 'unknown';
  }
}
