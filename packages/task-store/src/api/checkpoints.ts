import type { Checkpoint } from '@baton/fsm-core';

/** Checkpoint logs of cognitive tasks (docs/spec/kernel.md#checkpoints-binding). */
export interface CheckpointsApi {
  /** Adds one to an attempt's log; the same one again adds nothing. Never fenced: it is history. @throws NOT_FOUND */
  appendCheckpoint(item: { attemptId: string; checkpoint: Checkpoint }): Promise<void>;
  /** The log of an attempt, oldest first: `replayCheckpoints` makes its last state of it. */
  checkpoints(attemptId: string): Promise<Checkpoint[]>;
}
