import type { AgentEvent } from '@baton/contracts';
import type { Checkpoint } from '@baton/fsm-core';

/** What the caller learns while a task runs. Handlers are awaited, one after the other; one that throws ends the agent. */
export interface TaskHandlers {
  /** A process was started for this task, or (same pid as before) continues with it. */
  onSpawn?(spawned: { pid: number; pidStarted: string | null }): void | Promise<void>;
  onEvent?(event: AgentEvent): void | Promise<void>;
  /** Hears each event as it comes, before those that wait to be handled: what must not wait begins here. It must not throw. */
  onTold?(event: AgentEvent): void;
  /** An in-process agent reached a point from which it can be resumed; it waits until this is kept. */
  onCheckpoint?(checkpoint: Checkpoint): void | Promise<void>;
}
