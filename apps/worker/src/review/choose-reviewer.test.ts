import { expect, it } from 'vitest';
import { chosenReviewer, isAuthor, reviewerTask } from './choose-reviewer.ts';

const acp = (name: string) => ({ acp: [name] });
const author = (agentName: string, model: string | null) => ({
  agentName,
  model,
  definition: acp(agentName),
});
const reviewer = (name: string, model: string | null) => ({ model, definition: acp(name) });

it.each([
  ['the same agent with the same model', reviewer('codex', 'gpt'), author('codex', 'gpt'), true],
  ['the same agent with another model', reviewer('codex', 'o9'), author('codex', 'gpt'), false],
  ['the same agent, one at its default', reviewer('codex', null), author('codex', 'gpt'), true],
  ['the same agent, both at their default', reviewer('codex', null), author('codex', null), true],
  ['another agent at its default', reviewer('gemini-cli', null), author('codex', 'gpt'), false],
  [
    'another agent with the same model',
    reviewer('a', 'claude-opus-5-5'),
    author('b', 'claude-opus-5-5'),
    true,
  ],
  ['a model under its short name', reviewer('a', 'opus'), author('b', 'anthropic/claude-opus-5-5'), true],
])('%s may be the author itself: %#', (_, one, other, is) => {
  expect(isAuthor(one, other)).toBe(is);
});

it('knows the same program under two names and with other settings, and a built-in agent by its definition', () => {
  const definition = { command: ['review.sh'] };
  const one = { definition: { ...definition, env: { A: '1' } }, model: null };
  const inline = { agentName: 'inline', model: null };
  expect(isAuthor(one, { ...inline, definition })).toBe(true);
  expect(isAuthor(one, { ...inline, definition: { command: ['write.sh'] } })).toBe(false);
  const codex = chosenReviewer({
    ...{ ok: true, agentName: 'codex', definition: null, model: null, effort: 'high' },
    ...{ reservationMicroUsd: 0, reasons: [] },
  });
  expect(codex).toMatchObject({ name: 'codex', effort: 'high' });
  expect(isAuthor(codex, { agentName: 'codex', definition: null, model: null })).toBe(true);
});

it('is chosen by the router for the role of reviewers, with what the repository names', () => {
  const task = { scope: 'small', complexity: 'low', risk: 'high' } as const;
  const named = { agent: 'codex', model: 'gpt', tasks: 'all', timeout: 1 } as const;
  expect(reviewerTask(task, named)).toEqual({
    ...task,
    role: 'reviewer',
    agent: 'codex',
    model: 'gpt',
    effort: null,
  });
});
