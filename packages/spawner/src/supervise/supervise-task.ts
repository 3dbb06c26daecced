import { abortReasons, type AbortReason, type AgentContext, type TaskRequest } from '../agent/adapter.ts';
import type { EventQueue } from '../agent/event-queue.ts';
import type { AgentProcess } from './agent-process.ts';
import { watch } from './watch.ts';

/** Supervision of one task of a living agent. */
export interface Supervision {
  /** Something was heard of the agent. */
  sign(): void;
  /** Why we ended the task, for people; null: we did not. */
  why(): string | null;
  /** Ends the task for a reason of our own. */
  end(reason: AbortReason, why: string): void;
  stop(): void;
}

/** What {@link superviseTask} needs. */
export interface SuperviseOptions {
  context: AgentContext;
  agent: AgentProcess;
  request: TaskRequest;
  queue: EventQueue;
  /** Monotonic time at which the session began. */
  startedMs: number;
  /** Ends the task, beginning with the gentlest means there is. */
  end: () => Promise<void>;
}

/**
 * Ends a task when its time is up (the earlier of the session's lifetime and the task's own), when the agent gives no
 * sign of life, when the caller aborts, or when a handler of the caller failed. Source: docs/spec/agents.md#supervision.
 */
export function superviseTask({
  context,
  agent,
  request,
  queue,
  startedMs,
  end,
}: SuperviseOptions): Supervision {
  const { clock, limits } = context;
  let why: string | null = null;
  const finish = (reason: AbortReason, text: string) => {
    if (why !== null) return;
    why = text;
    agent.blame(reason);
    stop();
    void end();
  };
  const deadlineMs = Math.min(startedMs + limits.lifetimeMs, clock.monotonicMs() + request.timeoutMs);
  const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
  const watching = watch({
    clock,
    deadlineMs,
    silenceMs: limits.silenceMs,
    cpuMs: () => agent.cpuMs(),
    onLapse: (what) =>
      finish(
        'timeout',
        what === 'silence'
          ? `No sign of life for ${seconds(limits.silenceMs)}.`
          : `The time for the task was up (${seconds(Math.min(limits.lifetimeMs, request.timeoutMs))}).`,
      ),
  });
  const onAbort = () => request.signal && finish(abortReasonOf(request.signal), 'It was stopped.');
  const onBroken = () => finish('shutdown_signal', 'Its events could not be recorded.');
  request.signal?.addEventListener('abort', onAbort, { once: true });
  queue.broken.addEventListener('abort', onBroken, { once: true });
  const stop = () => {
    watching.stop();
    request.signal?.removeEventListener('abort', onAbort);
    queue.broken.removeEventListener('abort', onBroken);
  };
  if (request.signal?.aborted) onAbort();
  return { sign: watching.sign, why: () => why, end: finish, stop };
}

/** The reason that an abort signal names; `user_interrupt` when it names none. */
export function abortReasonOf(signal: AbortSignal): AbortReason {
  return abortReasons.find((reason) => reason === signal.reason) ?? 'user_interrupt';
}
