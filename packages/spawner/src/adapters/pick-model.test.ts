import { BatonError } from '@baton/contracts';
import { expect, it } from 'vitest';
import { pickModel } from './pick-model.ts';

const claude = ['default', 'opus', 'fable', 'sonnet', 'haiku'];
const codex = ['gpt-6.1-sol', 'gpt-6-astra', 'gpt-5.5'];
const pick = (wanted: string, known: readonly string[], takesAny = false) =>
  pickModel(wanted, { known, takesAny });

it.each([
  ['sonnet', claude, 'sonnet'],
  ['claude-sonnet-5', claude, 'sonnet'],
  ['anthropic/claude-sonnet-5', claude, 'sonnet'],
  ['opus', ['default', 'claude-opus-5-5'], 'claude-opus-5-5'],
  ['gpt-6-astra', codex, 'gpt-6-astra'],
  ['gpt-5', codex, 'gpt-5.5'],
  ['whatever', [], 'whatever'],
])('a model %j of a session that lists %j is asked for as %j', (wanted, known, name) => {
  expect(pick(wanted, known)).toBe(name);
});

it('refuses a model that the session does not know or that could be several, with what it knows', () => {
  for (const wanted of ['claude-sonnet-4-5', 'gpt-6']) {
    const refused = () => pick(wanted, wanted === 'gpt-6' ? codex : claude);
    expect(refused).toThrow(`The agent does not know the model "${wanted}".`);
  }
  try {
    pick('gpt-6', codex);
  } catch (error) {
    expect(BatonError.is(error, 'MODEL_UNKNOWN') && error.fix).toContain(
      'It knows: gpt-6.1-sol, gpt-6-astra, gpt-5.5.',
    );
  }
});

it('passes any name on to an agent that takes models beyond its list', () => {
  expect(pick('gemini-9-pro', ['gemini-3.8-flash'], true)).toBe('gemini-9-pro');
});
