import { expect, test } from 'vitest';

import { heldBy, wayOut } from './held.ts';

const run = { slug: 'tidy-1', gates: [], standing: false, status: 'paused' as const };
const outOf = (statusReason: string, standing = false): string => {
  const held = heldBy({ status: 'paused', statusReason });
  return held === null ? '' : wayOut(held, { ...run, standing });
};

test('what has to pass by itself is not told to be put right', () => {
  expect(outOf('PROVIDER_PARKED: hit your limit. Nothing moves before 2090-01-01 00:00 UTC.')).toBe(
    'Nothing is to be put right. Once the provider takes work again, carry the run on with `baton run --resume tidy-1`, which asks it again.',
  );
  expect(outOf('AGENT_UNAVAILABLE: claude is not logged in.')).toBe(
    'Put it right, then carry the run on with `baton run --resume tidy-1`.',
  );
});

test('a red base names the gate that may be allowed, where a command takes that', () => {
  const red = 'BASE_RED: gate tests: exit code 1';
  expect(outOf(red)).toContain('`baton run --resume tidy-1 --allow-red NAME`');
  expect(outOf(red, true)).toBe(
    'Make it pass, and commit that; then carry the run on with `baton resume tidy-1 && baton up`.',
  );
});
