import { expect, it } from 'vitest';
import { wrongSubject } from '../src/rules/commits.ts';

it.each([
  ['fix(spawner): no pipe makes git wait', null],
  ['feat(task-store,cli): a budget', null],
  ['refactor!: one text of the schema', null],
  ['docs: figures', null],
  [`docs: ${'x'.repeat(66)}`, null],
  [`docs: ${'x'.repeat(67)}`, 'the subject has 73 characters'],
  ['Fix the pipe', 'no Conventional Commit'],
  ['fixed(spawner): the pipe', 'no Conventional Commit'],
  ['fix:', 'no Conventional Commit'],
])('the subject %j: %j', (subject, wrong) => {
  if (wrong === null) expect(wrongSubject(subject)).toBeNull();
  else expect(wrongSubject(subject)).toContain(wrong);
});
