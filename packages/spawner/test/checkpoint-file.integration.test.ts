import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  advanceTask,
  checkpointOf,
  createCognitiveTask,
  printCheckpoint,
  type Checkpoint,
} from '@baton/fsm-core';
import { tempDir } from '@baton/testkit';
import { startFakeModelServer } from '@baton/testkit/model-server';
import { describe, expect, test } from 'vitest';
import { openCheckpointFile, type TaskHandlers } from '../src/index.ts';
import { openIn, task } from './support/agents.ts';

function checkpoints(): [Checkpoint, Checkpoint] {
  const log: Checkpoint[] = [];
  let thinking = createCognitiveTask({ taskId: 't', source: 'test', text: 'Grüße', at: 1 });
  for (const type of ['TASK_CREATED', 'REASON_DONE'] as const) {
    const advanced = advanceTask(thinking, { type, actor: 'test', reason: type, at: 2 });
    if (!advanced.ok) throw new Error(advanced.code);
    const checkpoint = checkpointOf(
      advanced.decision,
      log.length === 0 ? undefined : thinking.snapshot.context,
    );
    if (checkpoint !== null) log.push(checkpoint);
    thinking = advanced.task;
  }
  const [first, second] = log;
  if (first === undefined || second === undefined) throw new Error('two moves, two checkpoints');
  return [first, second];
}

describe('the checkpoint log of a task', () => {
  test('loses at most the line that a crash cut off, wherever it was cut, and can be appended to', async () => {
    await using folder = await tempDir();
    const [first, second] = checkpoints();
    const whole = Buffer.from(printCheckpoint(first) + printCheckpoint(second));
    const begun = Buffer.byteLength(printCheckpoint(first));
    const cuts = Array.from({ length: whole.length - begun + 1 }, (_, at) => begun + at);
    for (const cut of [0, ...cuts.filter((at) => at % 7 === 0 || at > whole.length - 3)]) {
      const file = path.join(folder.path, `${cut}.jsonl`);
      writeFileSync(file, whole.subarray(0, cut));
      const log = openCheckpointFile(file);
      const kept = log.read();
      expect(kept).toEqual(cut === 0 ? [] : cut === whole.length ? [first, second] : [first]);
      log.append(second);
      expect(openCheckpointFile(file).read()).toEqual([...kept, second]);
    }
  });
});

describe('an in-process agent', () => {
  const work = async (handlersOf: (logs: () => string[]) => TaskHandlers) => {
    await using stack = new AsyncDisposableStack();
    const server = await startFakeModelServer({ script: [{ say: 'Done.' }] });
    stack.defer(() => server.close());
    const state = stack.use(await tempDir());
    const agent = stack.use(
      await openIn({ in_process: 'local/scripted', base_url: `${server.url}/v1` }, { stateDir: state.path }),
    );
    const folder = path.join(state.path, 'checkpoints');
    const logs = () =>
      existsSync(folder)
        ? readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'))
        : [];
    const finished = await agent.runner.runTask(task('Say it'), handlersOf(logs));
    expect(finished.outcome).toBe('done');
    return logs();
  };

  test('keeps its checkpoints in a file of the state folder when no handler does', async () => {
    const [log = ''] = await work(() => ({}));
    expect(log).toContain('TASK_COMPLETED');
  });

  test('has no file that a killed process could leave when its checkpoints are kept elsewhere', async () => {
    const kept: Checkpoint[] = [];
    const seen: string[] = [];
    const left = await work((logs) => ({
      onCheckpoint(checkpoint) {
        kept.push(checkpoint);
        seen.push(...logs());
      },
    }));
    expect(kept.at(-1)?.timing).toBe('TASK_COMPLETED');
    expect([...seen, ...left]).toEqual([]);
  });
});
