import fc from 'fast-check';
import { expect, test } from 'vitest';
import { book, budgetRoom, budgetStep, release, reserve, type Budget } from './budget.ts';

const of = (capMicroUsd: number | null, spentMicroUsd = 0, reservedMicroUsd = 0): Budget => ({
  capMicroUsd,
  spentMicroUsd,
  reservedMicroUsd,
});

test.each([
  [0, 'normal'],
  [799_999, 'normal'],
  [800_000, 'cheaper'],
  [949_999, 'cheaper'],
  [950_000, 'no_new_claims'],
  [999_999, 'no_new_claims'],
  [1_000_000, 'abort'],
  [1_500_000, 'abort'],
])('with %d of 1000000 spent the step is %s', (spent, step) => {
  expect(budgetStep(of(1_000_000, spent))).toBe(step);
});

test('a run without a budget is never held up', () => {
  expect(budgetStep(of(null, 1e12))).toBe('normal');
  expect(budgetRoom(of(null, 1e12))).toBeNull();
});

test('a budget of nothing allows nothing', () => {
  expect(budgetStep(of(0))).toBe('abort');
  expect(reserve(of(0), 1)).toEqual({ ok: false, missingMicroUsd: 1 });
});

test('reservations do not move the ladder, they only take room', () => {
  expect(budgetStep(of(100, 0, 100))).toBe('normal');
  expect(budgetRoom(of(100, 0, 100))).toBe(0);
});

test('a reservation is all or nothing, and a refusal says what is missing', () => {
  expect(reserve(of(100, 50, 20), 30)).toEqual({ ok: true, budget: of(100, 50, 50) });
  expect(reserve(of(100, 50, 20), 31)).toEqual({ ok: false, missingMicroUsd: 1 });
});

test('a cost beyond its reservation is booked in full and reported', () => {
  expect(book(of(100, 0, 30), { costMicroUsd: 40, reservationMicroUsd: 30 })).toEqual({
    budget: of(100, 40, 0),
    reservationMicroUsd: 0,
    exceeded: true,
  });
});

const amount = fc.integer({ min: 0, max: 1_000 });
const step = fc.oneof(
  fc.record({ do: fc.constant('reserve' as const), amount }),
  fc.record({
    do: fc.constant('book' as const),
    task: fc.nat(),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ do: fc.constant('release' as const), task: fc.nat() }),
);

test('spent and reserved together never exceed the cap while costs stay within their reservations', () => {
  let booked = 0;
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 5_000 }),
      fc.array(step, { maxLength: 80, size: 'max' }),
      (cap, steps) => {
        let budget = of(cap);
        const open: number[] = [];
        for (const act of steps) {
          if (act.do === 'reserve') {
            const result = reserve(budget, act.amount);
            if (result.ok) open.push(act.amount);
            if (result.ok) budget = result.budget;
          } else if (open.length > 0) {
            const index = act.task % open.length;
            const left = open[index] ?? 0;
            if (act.do === 'book') {
              const result = book(budget, {
                costMicroUsd: Math.floor(left * act.part),
                reservationMicroUsd: left,
              });
              expect(result.exceeded).toBe(false);
              [budget, open[index]] = [result.budget, result.reservationMicroUsd];
              booked += 1;
            } else {
              budget = release(budget, left);
              open.splice(index, 1);
            }
          }
          expect(budget.spentMicroUsd + budget.reservedMicroUsd).toBeLessThanOrEqual(cap);
          expect(budget.reservedMicroUsd).toBe(open.reduce((sum, left) => sum + left, 0));
        }
      },
    ),
  );
  expect(booked).toBeGreaterThan(100);
});
