import type { AgentEvent } from '@baton/contracts';
import { createCognitiveTask, createTaskRegistry, replayCheckpoints, type Checkpoint } from '@baton/fsm-core';
import { APICallError } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { scriptedModel, type Answer } from '../../../test/support/scripted-model.ts';
import { beginOrResume } from './begin.ts';
import type { CognitiveOptions } from './mind.ts';
import { runCognitiveTask } from './run-cognitive-task.ts';
import { defineTool } from '../tools/tool.ts';

const noted: string[] = [];
const noteTool = defineTool({
  name: 'note',
  description: 'Notes a word.',
  kind: 'edit',
  input: z.object({ word: z.string() }),
  describe: ({ word }) => ({ title: `Note ${word}`, paths: [] }),
  run({ word }) {
    if (word === 'bad') throw new Error('a bad word');
    noted.push(word);
    return `noted ${word}`;
  },
});
const note = (word: string) => ({ tool: 'note', input: { word } });

function rig(answers: Answer[], change: Partial<CognitiveOptions> = {}) {
  const { model, asked } = scriptedModel(answers);
  const log: Checkpoint[] = [];
  const events: AgentEvent[] = [];
  let now = 0;
  const options: CognitiveOptions = {
    model,
    instructions: 'be brief',
    tools: [noteTool],
    clock: { now: () => new Date((now += 1)), monotonicMs: () => now },
    signal: new AbortController().signal,
    keep: (checkpoint) => void log.push(JSON.parse(JSON.stringify(checkpoint)) as Checkpoint),
    onEvent: (event) => void events.push(event),
    retries: 0,
    ...change,
  };
  const fresh = createCognitiveTask({ taskId: 't1', source: 'test', text: 'do it', at: 0 });
  const moves = () => log.flatMap((one) => (one.kind === 'reflection' ? [] : [one.transition.event]));
  return { options, log, events, fresh, asked, moves };
}

describe('a cognitive task', () => {
  test('reasons, acts with tools and responds, each move in its log', async () => {
    const r = rig([{ text: 'two notes', calls: [note('a'), note('b')] }, { text: 'done' }]);
    const end = await runCognitiveTask(r.fresh, r.options);
    expect(end).toMatchObject({ outcome: 'done', summary: 'done', abortReason: null });
    expect(end.task.history.map((move) => move.toState)).toEqual([
      'reasoning',
      'acting',
      'acting',
      'reasoning',
      'acting',
      'completed',
    ]);
    expect(r.moves()).toEqual([
      'TASK_CREATED',
      'REASON_DONE',
      'TOOL_CALL_COMPLETED',
      'TOOL_CALL_COMPLETED',
      'REASON_DONE',
      'STEP_COMPLETED',
    ]);
    expect(r.events.map((event) => event.type)).toEqual(
      'usage message tool_started permission_requested tool_completed tool_started permission_requested tool_completed usage message'
        .split(' ')
        .filter((type) => type !== 'permission_requested'),
    );
    expect(r.events[0]).toMatchObject({ usage: { inputTokens: 6, cacheReadTokens: 4, outputTokens: 5 } });
  });

  test('reports to the model a tool that failed, that does not exist or that is denied, and continues', async () => {
    const r = rig(
      [
        { calls: [note('bad'), { tool: 'fly', input: {} }, { tool: 'note', input: { wrong: 1 } }] },
        { calls: [note('denied')] },
        { text: 'gave up' },
      ],
      { permission: ({ title }) => (title.includes('denied') ? 'deny' : 'allow') },
    );
    const end = await runCognitiveTask(r.fresh, r.options);
    expect(end.outcome).toBe('done');
    const results = end.task.snapshot.context.messages.filter((message) => message.role === 'tool');
    expect(results.map((message) => message.content.split('\n')[0])).toEqual([
      'a bad word',
      'There is no tool fly.',
      expect.stringContaining('note:'),
      'You may not do this.',
    ]);
    expect(r.moves().filter((event) => event === 'TOOL_CALL_FAILED')).toHaveLength(4);
    expect(noted).not.toContain('denied');
  });

  test('killed after any checkpoint, continues from its log to the same end without a step done twice', async () => {
    const answers = [{ calls: [note('x'), note('y')] }, { text: 'done' }];
    const whole = rig(answers);
    await runCognitiveTask(whole.fresh, whole.options);
    for (let cut = 1; cut < whole.log.length; cut += 1) {
      const kept = whole.log.slice(0, cut);
      noted.length = 0;
      const before = replayCheckpoints(kept);
      const asked = before?.context.iteration ?? 0;
      const again = rig(answers.slice(asked));
      const end = await runCognitiveTask(
        beginOrResume({ taskId: 't1', prompt: 'do it', at: 9 }, kept),
        again.options,
      );
      expect(end, `cut at ${cut}`).toMatchObject({ outcome: 'done', summary: 'done' });
      expect(
        [...kept.slice(1), ...again.log].filter((one) => one.timing === 'TOOL_CALL_COMPLETED'),
      ).toHaveLength(2);
      expect(end.task.snapshot.seq).toBe(6);
    }
  });

  test('is suspended by an abort with its whole context, and resumed where it was', async () => {
    const stop = new AbortController();
    const first = rig(
      [{ calls: [note('one')] }, { text: 'late', onAsked: () => stop.abort('shutdown_signal') }],
      { signal: stop.signal },
    );
    const end = await runCognitiveTask(first.fresh, first.options);
    expect(end).toMatchObject({ outcome: 'suspended' });
    expect(first.log.at(-1)).toMatchObject({
      kind: 'full',
      timing: 'TASK_SUSPENDED',
      context: { suspendReason: 'shutdown_signal' },
    });
    const second = rig([]);
    const resumed = beginOrResume({ taskId: 't1', prompt: 'do it', at: 9 }, first.log);
    const done = await runCognitiveTask(resumed, second.options);
    expect(done).toMatchObject({ outcome: 'done', summary: 'late' });
    expect(second.asked(), 'what was answered is not asked again').toBe(0);
  });

  test('asks back where it may, waits suspended, and continues with the answer', async () => {
    const ask = { tool: 'ask', input: { question: 'which colour?' } };
    const first = rig([{ calls: [ask, note('later')] }], { canAsk: true });
    const end = await runCognitiveTask(first.fresh, first.options);
    expect(end).toMatchObject({ outcome: 'suspended', summary: 'which colour?' });
    expect(await runCognitiveTask(end.task, first.options)).toMatchObject({ outcome: 'suspended' });
    const second = rig([{ text: 'blue it is' }], { canAsk: true, answer: 'blue' });
    const done = await runCognitiveTask(end.task, second.options);
    expect(done).toMatchObject({ outcome: 'done', summary: 'blue it is' });
    expect(done.task.snapshot.context.messages.map((message) => message.content)).toContain('blue');
  });

  test('is warned about beyond the limit of its registry and works all the same', async () => {
    const warnings: string[] = [];
    const registry = createTaskRegistry({ maxActive: 0, warn: (text) => void warnings.push(text) });
    const r = rig([{ text: 'done' }], { registry });
    expect(await runCognitiveTask(r.fresh, r.options)).toMatchObject({ outcome: 'done' });
    expect(warnings).toHaveLength(1);
  });

  test('looks back on itself where asked to; looking back in vain changes nothing', async () => {
    const reflection = { facts: [{ path: 'build', content: 'npm test' }], episode: null, assessment: 'fine' };
    const r = rig([{ text: 'done' }, { text: `\`\`\`json\n${JSON.stringify(reflection)}\n\`\`\`` }], {
      reflect: true,
    });
    expect(await runCognitiveTask(r.fresh, r.options)).toMatchObject({ outcome: 'done', reflection });
    expect(r.log.at(-1)).toMatchObject({ kind: 'reflection', factsWritten: 1 });
    const vain = rig([{ text: 'done' }, { text: 'it was nice' }], { reflect: true });
    expect(await runCognitiveTask(vain.fresh, vain.options)).toMatchObject({
      outcome: 'done',
      reflection: null,
    });
  });
});

describe('a cognitive task fails', () => {
  const refused = (statusCode: number, data?: unknown, headers: Record<string, string> = {}) =>
    new APICallError({
      message: `status ${statusCode}`,
      url: 'http://model',
      requestBodyValues: {},
      statusCode,
      data,
      responseHeaders: headers,
      isRetryable: false,
    });

  test.each([
    [
      'its provider is overloaded',
      { error: refused(529) },
      { outcome: 'provider_down', transitionReason: 'provider_529', abortReason: 'provider_error' },
    ],
    [
      'its question is too large for the provider',
      { error: refused(413) },
      { transitionReason: 'provider_413' },
    ],
    [
      'its conversation is too long',
      { error: refused(400, { error: { code: 'context_length_exceeded' } }) },
      { transitionReason: 'prompt_too_long' },
    ],
    ['its key is refused', { error: refused(401) }, { outcome: 'not_logged_in' }],
    ['its provider is down', { error: refused(500) }, { outcome: 'provider_down' }],
    [
      'its question is refused',
      { error: refused(400) },
      { outcome: 'failed', abortReason: 'provider_error' },
    ],
    [
      'its limit is reached',
      { error: refused(429, {}, { 'retry-after': '60' }) },
      { outcome: 'rate_limited', resetAt: expect.stringMatching(/^1970-01-01T00:01:00/) as string },
    ],
    [
      'its answer is cut off',
      { text: 'half', finish: 'length' as const },
      { transitionReason: 'max_output_tokens' },
    ],
    ['it gets no answer', { finish: 'stop' as const }, { abortReason: 'provider_error' }],
  ])('when %s', async (_, answer, expected) => {
    const r = rig([answer]);
    expect(await runCognitiveTask(r.fresh, r.options)).toMatchObject({ outcome: 'failed', ...expected });
    expect(r.log.at(-1)).toMatchObject({ kind: 'full', timing: 'TASK_FAILED' });
  });

  test.each(['1e20', '-1e30', 'soon'])(
    'at a limit without a date when told to come back after %s',
    async (after) => {
      const r = rig([{ error: refused(429, {}, { 'retry-after': after }) }]);
      expect(await runCognitiveTask(r.fresh, r.options)).toMatchObject({
        outcome: 'rate_limited',
        resetAt: null,
      });
    },
  );

  test('when it has had its answers without an end', async () => {
    const r = rig(
      Array.from({ length: 9 }, (_, n) => ({ calls: [note(`n${n}`)] })),
      { maxSteps: 3 },
    );
    expect(await runCognitiveTask(r.fresh, r.options)).toMatchObject({
      outcome: 'failed',
      transitionReason: 'max_turns',
    });
    expect(r.asked()).toBe(3);
  });

  test('when it goes in circles', async () => {
    const r = rig(Array.from({ length: 40 }, () => ({ calls: [note('same')] })));
    expect(await runCognitiveTask(r.fresh, r.options)).toMatchObject({
      outcome: 'failed',
      summary: expect.stringContaining('circles') as string,
    });
  });

  test('when its conversation cannot be summed up; a summary takes its place otherwise', async () => {
    const long = { calls: [note('long')], input: 5_000 };
    const options = { contextTokens: 1_000 };
    const fine = rig([long, { text: 'noted long' }, { text: 'done' }], options);
    const end = await runCognitiveTask(fine.fresh, fine.options);
    expect(end.outcome).toBe('done');
    expect(end.task.snapshot.context.messages[1]?.content).toContain('noted long');
    expect(fine.events.map((event) => event.type)).toContain('compaction_ended');
    const bad = rig([long, { error: refused(500) }], options);
    expect(await runCognitiveTask(bad.fresh, bad.options)).toMatchObject({
      abortReason: 'compact_failure',
      transitionReason: 'compaction_failed',
    });
  });
});
