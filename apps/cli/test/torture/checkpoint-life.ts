// One process that thinks, with a log in a file: it goes on where the one before it was killed. Told where, as JSON.
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { advanceTask, checkpointOf, createCognitiveTask, type Checkpoint } from '@baton/fsm-core';
import { openCheckpointFile } from '@baton/spawner';

/** Where a life that thinks keeps its log, and where it says what it kept. */
export interface CheckpointOrder {
  log: string;
  said: string;
}

/** All that a life keeps, in its order. */
export function checkpointsOfLife(): Checkpoint[] {
  const log: Checkpoint[] = [];
  let task = createCognitiveTask({ taskId: 'task', source: 'test', text: 'think', at: 1 });
  const types = ['TASK_CREATED', 'REASON_DONE', 'TASK_SUSPENDED', 'TASK_RESUMED', 'TASK_FAILED'] as const;
  for (const [at, type] of types.entries()) {
    const saved = task.snapshot.context;
    const advanced = advanceTask(task, { type, actor: 'test', reason: type, at });
    if (!advanced.ok) throw new Error(advanced.code);
    const checkpoint = checkpointOf(advanced.decision, log.length === 0 ? undefined : saved);
    if (checkpoint !== null) log.push(checkpoint);
    task = advanced.task;
  }
  return log;
}

const [, program, argument = ''] = process.argv;
if (program === fileURLToPath(import.meta.url)) {
  const { log, said } = JSON.parse(argument) as CheckpointOrder;
  const file = openCheckpointFile(log);
  for (const checkpoint of checkpointsOfLife().slice(file.read().length)) {
    file.append(checkpoint);
    appendFileSync(said, `${checkpoint.timing}\n`);
  }
}
