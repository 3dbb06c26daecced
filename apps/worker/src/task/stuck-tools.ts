import type { AgentEvent } from '@baton/contracts';
import { abort } from '../abort/abort-chain.ts';
import type { WorkerContext } from '../context/context.ts';

/** Looks after the tool calls of one task. */
export interface ToolWatch {
  see(event: AgentEvent): void;
  stop(): void;
}

/**
 * Stops a tool call that takes too long: alone where the agent can do that, and the agent continues; else its whole
 * session, since waiting would only cost the rest of its time.
 */
export function watchTools(
  ctx: Pick<WorkerContext, 'sessions' | 'log' | 'timing'>,
  { sessionId }: { sessionId: string },
): ToolWatch {
  const timers = new Map<string, NodeJS.Timeout>();
  const clear = (toolId: string): void => {
    clearTimeout(timers.get(toolId));
    timers.delete(toolId);
  };
  const onStuck = (toolCallId: string): void => {
    timers.delete(toolCallId);
    const { toolStopped } = abort(ctx, { scope: 'TOOL', sessionId, toolCallId, reason: 'bash_error' });
    if (toolStopped === true) return;
    ctx.log.warn('ABORT_UNSUPPORTED: the agent cannot stop a single tool call; its session is ended', {
      sessionId,
      toolCallId,
    });
    abort(ctx, { scope: 'SESSION', sessionId, reason: 'bash_error' });
  };
  return {
    see(event) {
      if (event.type === 'tool_started' && !timers.has(event.toolId))
        timers.set(event.toolId, setTimeout(() => onStuck(event.toolId), ctx.timing.toolMs).unref());
      if (event.type === 'tool_completed') clear(event.toolId);
    },
    stop() {
      for (const toolId of [...timers.keys()]) clear(toolId);
    },
  };
}
