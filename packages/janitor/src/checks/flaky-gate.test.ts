import { expect, it } from 'vitest';
import { confirmationsOf } from './flaky-gate.ts';

it('confirms a red once, and of a flaky gate more often, the more often it fails by chance', () => {
  const asked = (flaked: number, judged = 20) => confirmationsOf({ judged, flaked }, { above: 1 });
  expect(confirmationsOf(null, { above: 0 })).toBe(1);
  expect([0, 1, 2, 4, 6, 10, 20].map((flaked) => asked(flaked))).toEqual([1, 1, 2, 2, 3, 4, 4]);
  expect(asked(2, 2)).toBe(4);
});

it('never confirms a red less often where more of them were wrong', () => {
  for (let judged = 1; judged <= 20; judged++)
    for (let flaked = 1; flaked <= judged; flaked++)
      for (const above of [0, 1, 5]) {
        const [less, more] = [flaked - 1, flaked].map((of) =>
          confirmationsOf({ judged, flaked: of }, { above }),
        );
        expect(more).toBeGreaterThanOrEqual(less ?? 0);
        expect(more).toBeLessThanOrEqual(4);
      }
});
