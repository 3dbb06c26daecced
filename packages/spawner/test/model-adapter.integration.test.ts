import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Checkpoint } from '@baton/fsm-core';
import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { modelAdapter, openCheckpointFile, type ModelAdapterOptions } from '../src/index.ts';
import { openIn, run, task } from './support/agents.ts';
import { scriptedModel, type Answer } from './support/scripted-model.ts';

const write = (file: string) => ({ tool: 'write_file', input: { path: file, content: `${file}\n` } });

function withModel(answers: Answer[], options: Partial<ModelAdapterOptions> = {}) {
  const adapter = modelAdapter({ model: scriptedModel(answers).model, ...options });
  return openIn({ in_process: null }, { adapter });
}

test('any model of the AI SDK works through a batch in the caller’s own process', async () => {
  await using agent = await withModel([
    { calls: [write('a.txt')] },
    { text: 'first' },
    { calls: [write('b.txt')] },
    { text: 'second' },
  ]);
  const first = await run(agent.runner, task('Write a.txt'));
  const second = await run(agent.runner, task('Write b.txt'));
  expect([first.finished, second.finished]).toMatchObject([
    { outcome: 'done', summary: 'first' },
    { outcome: 'done', summary: 'second' },
  ]);
  expect(first.events.flatMap((event) => (event.type === 'usage' ? [event.offset] : []))).toEqual([0, 1]);
  expect(existsSync(path.join(agent.folder, 'a.txt')) && existsSync(path.join(agent.folder, 'b.txt'))).toBe(
    true,
  );
});

test('a session that is closed, or whose caller aborts, ends its task', async () => {
  const stop = new AbortController();
  await using agent = await withModel([
    { calls: [write('a.txt')] },
    { text: 'x', onAsked: () => stop.abort('parent_aborted') },
    { text: 'y' },
  ]);
  const { finished } = await run(agent.runner, task('Write', { signal: stop.signal }));
  expect(finished).toMatchObject({ outcome: 'cancelled', abortReason: 'parent_aborted' });
  await agent.runner.close();
  expect((await run(agent.runner)).finished.outcome).toBe('cancelled');
});

test('a warning in the log says that more tasks are active than it should hold', async () => {
  await using agent = await withModel([{ text: 'done' }], { maxActive: 0 });
  expect((await run(agent.runner)).finished.outcome).toBe('done');
  expect(readFileSync(agent.logFile, 'utf8')).toContain('limit 0');
});

test('a torn last line of a checkpoint log is removed, and the log continues', async () => {
  await using folder = await tempDir();
  await using agent = await withModel([{ text: 'Hello.' }]);
  const checkpoints: Checkpoint[] = [];
  await agent.runner.runTask(task(), { onCheckpoint: (one) => void checkpoints.push(one) });
  const file = path.join(folder.path, 'log.jsonl');
  const log = openCheckpointFile(file);
  checkpoints.forEach((one) => log.append(one));
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -7));
  const again = openCheckpointFile(file);
  expect(again.read()).toHaveLength(checkpoints.length - 1);
  checkpoints.slice(-1).forEach((one) => again.append(one));
  expect(again.read()).toEqual(checkpoints);
  appendFileSync(file, '{"kind":');
  expect(openCheckpointFile(file).read()).toEqual(checkpoints);
});
