import { createCognitiveTask, replayCheckpoints, type Checkpoint, type CognitiveTask } from '@baton/fsm-core';

/** A new task, or the one that a log of checkpoints leads to: last full context and the changes after it. */
export function beginOrResume(
  input: { taskId: string; prompt: string; at: number },
  log: readonly Checkpoint[],
): CognitiveTask {
  const fresh = createCognitiveTask({
    taskId: input.taskId,
    text: input.prompt,
    source: 'baton',
    at: input.at,
  });
  const snapshot = replayCheckpoints(log);
  return snapshot === null ? fresh : { ...fresh, snapshot };
}
