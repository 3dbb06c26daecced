import { expect, test } from 'vitest';

import { lastWords, troubleOf } from './ask-program.ts';
import { checksOf } from './github.ts';

const run = (given: { stderr?: string; exitCode?: number; isMissing?: boolean }) => ({
  ...{ ok: false, exitCode: given.exitCode ?? 1, isMissing: given.isMissing ?? false },
  ...{ stdout: '', stderr: given.stderr ?? '' },
});

test.each([
  ['gh', { exitCode: 4 }, 'login'],
  ['gh', { stderr: 'HTTP 401: Bad credentials' }, 'login'],
  ['glab', { stderr: 'To authenticate, run `glab auth login`' }, 'login'],
  ['glab', { exitCode: 4, stderr: 'dial tcp: i/o timeout' }, 'away'],
  ['gh', { stderr: 'HTTP 403: API rate limit exceeded for user ID 1' }, 'rate_limit'],
  ['glab', { stderr: '429 Too Many Requests' }, 'rate_limit'],
  ['gh', { stderr: 'GraphQL: Could not resolve to a Repository' }, 'refused'],
  ['gh', { stderr: 'error connecting to api.github.com' }, 'away'],
  ['gh', { isMissing: true }, 'missing'],
] as const)('%s that ends with %o: %s', (program, given, why) => {
  expect(troubleOf(program, run(given)).why).toBe(why);
});

test('what a person can do about a trouble is its second line, and only that', () => {
  const { text } = troubleOf('glab', run({ isMissing: true }));
  expect(text.split('\n')).toEqual([
    'glab is not installed.',
    'Install it (https://docs.gitlab.com/cli), then log in with `glab auth login`.',
  ]);
  expect(troubleOf('gh', run({ stderr: 'a\nb\u001b[1m' })).text).toBe('gh gave no answer: a b␛[1m');
  expect(lastWords(' \n')).toBe('it said nothing.');
});

test('checks of a host have failed when one has, and have passed when all have', () => {
  const done = (conclusion: string) => ({ status: 'COMPLETED', conclusion });
  expect(checksOf([])).toBe('none');
  expect(checksOf([done('SUCCESS'), done('SKIPPED'), { state: 'SUCCESS' }])).toBe('passed');
  expect(checksOf([done('SUCCESS'), { status: 'IN_PROGRESS', conclusion: null }])).toBe('pending');
  expect(checksOf([{ state: 'EXPECTED' }])).toBe('pending');
  expect(checksOf([done('FAILURE'), { status: 'QUEUED' }])).toBe('failed');
});
