import { expect, it } from 'vitest';
import { conflictedAgain } from './earlier-work.ts';

const attempt = (outcome: string | null, headCommit: string | null = outcome) => ({
  outcome,
  ...{ startCommit: 'start', headCommit },
});

it('takes the newest conflict from the second one on, whatever did not touch the work in between', () => {
  expect(conflictedAgain([attempt('conflict', 'a')])).toBeNull();
  expect(conflictedAgain([attempt('conflict', 'a'), attempt('conflict', 'b'), attempt(null, null)])).toEqual({
    startCommit: 'start',
    headCommit: 'b',
  });
  const between = [attempt('conflict', 'a'), attempt('conflict', 'b'), attempt('released', null)];
  expect(conflictedAgain(between)).toMatchObject({ headCommit: 'b' });
});

it.each(['agent_failed', 'crashed', 'timeout', 'rejected'])(
  'starts on the head alone after an attempt that ended as %s',
  (outcome) => {
    const conflicts = [attempt('conflict', 'a'), attempt('conflict', 'b')];
    expect(conflictedAgain([...conflicts, attempt(outcome)])).toBeNull();
    expect(conflictedAgain([...conflicts, attempt(outcome), attempt('conflict', 'c')])).toMatchObject({
      headCommit: 'c',
    });
  },
);

it('takes no lost head for a conflict', () => {
  expect(conflictedAgain([attempt('head_lost'), attempt('conflict', 'a')])).toBeNull();
});
