import { BatonError } from '@baton/contracts';
import { expect, test } from 'vitest';

import { createOutage, outlast, withWayBack } from './outage.ts';

const away = new BatonError('DATABASE_UNREACHABLE', 'Postgres does not answer.');
const refused = new BatonError('DATABASE_LOGIN', 'Postgres refused the login.', { fix: 'Check it.' });

function watched() {
  const said: string[] = [];
  let nowMs = 0;
  const clock = { now: () => new Date(0), monotonicMs: () => nowMs };
  const outage = createOutage({ say: (text) => said.push(text), clock });
  return { said, outage, pass: (ms: number) => void (nowMs += ms) };
}

test.each([away, refused])(
  'says once that the database is away, and once that it answers again: $code',
  (error) => {
    const { said, outage } = watched();
    for (let time = 0; time < 2; time += 1) {
      outage.notice(error);
      outage.notice(error);
      outage.over();
      outage.over();
    }
    expect(said).toEqual(
      [0, 1].flatMap(() => [
        `The database is away: ${error.message} Agents at work continue; waiting for it.`,
        'The database answers again.',
      ]),
    );
  },
);

test.each([away, refused])('waits ten minutes for it, each time from the start: $code', (error) => {
  const { outage, pass } = watched();
  outage.notice(error);
  pass(599_000);
  outage.notice(error);
  outage.over();
  pass(2_000);
  outage.notice(error);
  pass(600_000);
  expect(() => outage.notice(error)).toThrow(error.message);
});

test('what passes by itself is waited for without a word, anything else ends the wait', () => {
  const { said, outage } = watched();
  outage.notice(new BatonError('STALE', 'The run changed.'));
  expect(said).toEqual([]);
  expect(() => outage.notice(new BatonError('NOT_FOUND', 'The run is gone.'))).toThrow('gone');
  expect(() => outage.notice(new Error('a bug'))).toThrow('a bug');
});

test('a look is repeated until it succeeds', async () => {
  const { said, outage } = watched();
  const errors: Error[] = [away];
  const seen = await outlast(outage, async () => {
    const error = errors.pop();
    if (error) throw error;
    return 'seen';
  });
  expect([seen, said.length]).toEqual(['seen', 2]);
});

const run = { slug: 'tidy-1', status: 'running', standing: false };

test('an error of the database names the way back into the run, another stays what it is', () => {
  expect(withWayBack(refused, run)).toMatchObject({
    code: 'DATABASE_LOGIN',
    fix: 'Check it. The run and what its agents saved are kept: carry it on with `baton run --resume tidy-1`.',
  });
  const other = new BatonError('NOT_FOUND', 'gone');
  expect(withWayBack(other, run)).toBe(other);
});
