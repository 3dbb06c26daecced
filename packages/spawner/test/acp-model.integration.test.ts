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
