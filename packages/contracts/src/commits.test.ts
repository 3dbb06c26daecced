import { expect, test } from 'vitest';
import { commitStyle, commitStyleOf, splitIdentity } from './commits.ts';

test.each([
  'Ada',
  '<ada@example.com>',
  'Ada <ada@example.com>\nTask-Id: x',
  'Ada <ada@example.com> <b@c>',
  'A\u0000da <ada@example.com>',
  'Ada <a da@example.com>',
])('an identity that could forge another line or field is refused: %j', (author) => {
  expect(commitStyle.safeParse({ author }).success).toBe(false);
});

test('an identity is a name and an address, and unknown settings are refused by name', () => {
  const author = 'Ada Lovelace-Ünal <ada+x@example.com>';
  expect(commitStyle.parse({ author, co_author: 'none' })).toEqual({ author, co_author: 'none' });
  expect(splitIdentity(author)).toEqual({ name: 'Ada Lovelace-Ünal', email: 'ada+x@example.com' });
  expect(commitStyle.safeParse({ auhtor: author }).error?.message).toContain('auhtor');
});

test('the style of a run is that of its stored plan; one without says nothing', () => {
  expect(commitStyleOf({ name: 'x', commits: { trailers: false } })).toEqual({ trailers: false });
  expect([commitStyleOf(null), commitStyleOf({ commits: 'x' })]).toEqual([{}, {}]);
});
