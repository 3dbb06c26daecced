import fc from 'fast-check';
import { expect, test } from 'vitest';
import { adaptiveTimeout, lifetimeMs, scopeTimeoutMs } from './timeout.ts';

const minute = 60_000;
const scopes = ['small', 'medium', 'large', 'xl'] as const;

test('time-outs by scope are 15, 30, 60 and 120 minutes, lifetimes 30, 30, 60 and 120', () => {
  expect(scopes.map((scope) => scopeTimeoutMs(scope) / minute)).toEqual([15, 30, 60, 120]);
  expect(scopes.map((scope) => lifetimeMs(scope) / minute)).toEqual([30, 30, 60, 120]);
});

test('too short a history gives the default of the scope', () => {
  expect(adaptiveTimeout([1, 2, 3], { scope: 'large' })).toEqual({ timeoutMs: 60 * minute, samples: 0 });
});

test('a history of quick tasks shortens the time-out, down to a third of the default', () => {
  const quick = Array.from({ length: 20 }, () => 30_000);
  expect(adaptiveTimeout(quick, { scope: 'medium' })).toEqual({ timeoutMs: 10 * minute, samples: 20 });
});

test('the upper quantile counts, with room above it', () => {
  const durations = Array.from({ length: 100 }, (_, index) => (index + 1) * 0.1 * minute);
  expect(adaptiveTimeout(durations, { scope: 'medium' }).timeoutMs).toBeCloseTo(9.5 * 1.5 * minute, 0);
});

test('whatever the history, the time-out stays between its floor and the lifetime', () => {
  const history = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { maxLength: 60 });
  fc.assert(
    fc.property(history, fc.constantFrom(...scopes), (durations, scope) => {
      const { timeoutMs } = adaptiveTimeout(durations, { scope });
      expect(timeoutMs).toBeGreaterThanOrEqual(Math.round(scopeTimeoutMs(scope) / 3));
      expect(timeoutMs).toBeLessThanOrEqual(lifetimeMs(scope));
      expect(Number.isInteger(timeoutMs)).toBe(true);
    }),
  );
});
