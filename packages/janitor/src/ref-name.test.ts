import { expect, test } from 'vitest';
import { branchName, branchRef, laneRefName, landingRefName } from './ref-name.ts';

test('names of branches become full refs', () => {
  expect(branchRef('baton/tidy')).toBe('refs/heads/baton/tidy');
  expect(laneRefName('s1', 'baton/tidy')).toBe('refs/baton/lane/s1/baton/tidy');
  expect(landingRefName('l1')).toBe('refs/baton/landing/l1');
});

test.each([
  '',
  '-f',
  '--upload-pack=x',
  'a b',
  'a..b',
  'a/../b',
  '/a',
  'a/',
  'a//b',
  '.a',
  'a/.b',
  'a.lock',
  'a.lock/b',
  'a.',
  'a~1',
  'a^',
  'a:b',
  'a?',
  'a*',
  'a[b',
  'a\\b',
  'a@{1}',
  '@',
  'HEAD',
  'refs/heads/a',
  'a\nb',
  'a\0b',
])('the name %j is refused with a way out', (name) => {
  expect(() => branchName(name)).toThrowError(
    expect.objectContaining({ code: 'REF_INVALID', fix: expect.any(String) }),
  );
});
