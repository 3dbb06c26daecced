import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openFake, run } from './support/agents.ts';

test('a model that the session does not know ends the task with what it knows, before anything is asked of it', async () => {
  const options = [{ value: 'sonnet' }, { options: [{ value: 'opus' }] }];
  const configOptions = [{ id: 'model', category: 'model', currentValue: 'default', options }];
  const script = { steps: [{ say: 'done' }], acp: { newSession: { configOptions } } };
  await using known = await openFake(script, 'acp', { model: 'anthropic/claude-opus-5-5' });
  expect((await run(known.runner)).finished).toMatchObject({ outcome: 'done' });
  await using unknown = await openFake(script, 'acp', { model: 'sonet' });
  const { finished, types } = await run(unknown.runner);
  expect(finished).toMatchObject({
    outcome: 'model_unknown',
    summary: expect.stringMatching(
      /does not know the model "sonet"\. It knows: sonnet, opus, default\./,
    ) as string,
  });
  expect(types).not.toContain('ready');
});

test.each([
  ['high', 'high'],
  ['low', 'default'],
  [null, 'default'],
] as const)('effort %s is set where the session offers it: %s', async (effort, expected) => {
  const options = ['default', 'medium', 'high'].map((value) => ({ value }));
  const level = { id: 'effort', category: 'thought_level', currentValue: 'default', options };
  const script = {
    steps: [{ record: 'got' }, { say: 'done' }],
    acp: { newSession: { configOptions: [level] } },
  };
  await using fake = await openFake(script, 'acp', { effort });
  expect((await run(fake.runner)).finished).toMatchObject({ outcome: 'done' });
  const got = JSON.parse(await readFile(path.join(fake.folder, 'got'), 'utf8')) as { options: unknown };
  expect(got.options).toEqual({ effort: expected });
});

test('an agent that offers a level of thought and then refuses it works as it is set', async () => {
  const options = [{ value: 'default' }, { value: 'high' }];
  const level = { id: 'effort', category: 'thought_level', currentValue: 'default', options };
  const acp = {
    newSession: { configOptions: [level] },
    failOn: { 'session/set_config_option': { code: -32602, message: 'not for this model' } },
  };
  await using fake = await openFake({ steps: [{ say: 'done' }], acp }, 'acp', { effort: 'high' });
  expect((await run(fake.runner)).finished).toMatchObject({ outcome: 'done' });
});

test('an agent without levels of thought works all the same', async () => {
  await using fake = await openFake({ steps: [{ say: 'done' }] }, 'acp', { effort: 'high' });
  expect((await run(fake.runner)).finished).toMatchObject({ outcome: 'done' });
});
