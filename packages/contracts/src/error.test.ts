import { expect, test } from 'vitest';
import { errorCodes } from './error-codes.ts';
import { errorReference } from './error-reference.ts';
import { BatonError, errorText } from './error.ts';

test('an error carries its code, its way out and its cause', () => {
  const cause = new Error('EACCES');
  const error = new BatonError('STATE_UNWRITABLE', 'Cannot write.', {
    fix: 'Free some space.',
    at: '/x',
    cause,
  });
  expect(error).toMatchObject({
    code: 'STATE_UNWRITABLE',
    fix: 'Free some space.',
    at: '/x',
    details: {},
    cause,
  });
});

test('whether to retry comes from the table', () => {
  expect(new BatonError('DATABASE_UNREACHABLE', 'No answer.').retryable).toBe(true);
  expect(new BatonError('PLAN_CYCLE', 'a → b → a').retryable).toBe(false);
});

test('an error of another copy of the package is recognised', () => {
  const foreign = Object.assign(new Error('x'), { code: 'NOT_FOUND', [Symbol.for('baton.error')]: true });
  expect(BatonError.is(foreign)).toBe(true);
  expect(BatonError.is(foreign, 'NOT_FOUND')).toBe(true);
  expect(BatonError.is(foreign, 'CONFLICT')).toBe(false);
});

test.each([new Error('x'), null, 'NOT_FOUND', { code: 'NOT_FOUND' }])('%s is no BatonError', (value) => {
  expect(BatonError.is(value)).toBe(false);
});

test('the reference page lists every code once, below a heading', () => {
  const page = errorReference();
  const listed = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map((match) => match[1]);
  expect(listed).toEqual(Object.keys(errorCodes));
  expect(page.indexOf('## Input')).toBeLessThan(page.indexOf('| `INVALID_INPUT`'));
  expect(page.match(/^## /gm)).toHaveLength(9);
});

test('every code says what it means in one sentence and maps to an HTTP error', () => {
  for (const [code, { meaning, http }] of Object.entries(errorCodes)) {
    expect(meaning, code).toMatch(/^(git|[A-Z]).*\.$/);
    expect(http, code).toBeGreaterThanOrEqual(400);
  }
});

test.each([
  [
    { code: 'GIT_FAILED', message: 'fatal: no route', fix: 'Try it by hand.' },
    'GIT_FAILED: fatal: no route. Try it by hand.',
  ],
  [{ code: 'GIT_FAILED', message: 'It failed.\n', fix: 'Try it.' }, 'GIT_FAILED: It failed. Try it.'],
  [{ message: 'It failed.' }, 'It failed.'],
  [{ message: 'It failed', fix: '' }, 'It failed'],
] as const)('an error becomes a line in which each part is a sentence: %j', (error, line) => {
  expect(errorText(error)).toBe(line);
});
