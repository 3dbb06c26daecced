import { expect, it } from 'vitest';
import { createClaims } from './own-sessions.ts';

it('names a session of ours that no agent here works on, and none that is known', async () => {
  const claims = createClaims();
  await claims.take(async () => ({ sessionId: 'known' }));
  await expect(claims.take(() => Promise.reject(new Error('the answer was lost')))).rejects.toThrow('lost');
  const listed = [{ id: 'known' }, { id: 'lost' }];
  expect(await claims.unclaimedOf(async () => listed)).toEqual([{ id: 'lost' }]);
});

it('says what became of a session that is left: its claim was not heard of, or its end could not be reported', async () => {
  const claims = createClaims();
  claims.leave('given up', 'DATABASE_UNREACHABLE: Postgres does not answer.');
  const list = async () => [{ id: 'given up' }, { id: 'lost' }];
  expect(await claims.unclaimedOf(list)).toHaveLength(2);
  expect(claims.endOf('given up')).toBe(
    'its worker gave it up, and could not report that: DATABASE_UNREACHABLE: Postgres does not answer.',
  );
  expect(claims.endOf('lost')).toMatch(/did not hear the answer to its claim/);
});

it('says nothing while a claim is under way or began during the look', async () => {
  const claims = createClaims();
  const answer = Promise.withResolvers<{ sessionId: string }>();
  const claiming = claims.take(() => answer.promise);
  expect(await claims.unclaimedOf(async () => [{ id: 'new' }])).toEqual([]);
  answer.resolve({ sessionId: 'new' });
  await claiming;
  const during = claims.unclaimedOf(async () => {
    await claims.take(async () => ({ sessionId: 'newer' }));
    return [{ id: 'newer' }];
  });
  expect(await during).toEqual([]);
});

it('takes a session that ended during the look for none of the lost, and one still listed later for lost', async () => {
  const claims = createClaims();
  await claims.take(async () => ({ sessionId: 'ending' }));
  const look = claims.unclaimedOf(async () => {
    claims.drop('ending');
    return [{ id: 'ending' }];
  });
  expect(await look).toEqual([]);
  expect(await claims.unclaimedOf(async () => [{ id: 'ending' }])).toEqual([{ id: 'ending' }]);
});
