import { checkMicroUsd } from './money.ts';

/** A cap with what is spent and what is promised to work that is under way. All in integer micro-dollars. */
export interface Budget {
  /** Null: no cap. */
  capMicroUsd: number | null;
  spentMicroUsd: number;
  reservedMicroUsd: number;
}

/** State of a budget: below 80 %, from 80 % (cheaper models), from 95 % (no new claims), from 100 % (abort). */
export type BudgetStep = 'normal' | 'cheaper' | 'no_new_claims' | 'abort';

/**
 * The ladder of a budget (docs/spec/routing-and-cost.md#ladder), by what is *spent*: reservations are promises that usually
 * come back, and a single
 * large one must not stop a run that has spent nothing.
 * @throws INVALID_INPUT for an amount that is none: nothing may look like a budget with room
 */
export function budgetStep(budget: Budget): BudgetStep {
  checkBudget(budget);
  const { capMicroUsd: cap, spentMicroUsd: spent } = budget;
  if (cap === null) return 'normal';
  if (spent >= cap) return 'abort';
  // Compared as multiples of the cap: no division, no rounding.
  if (spent * 100 >= cap * 95) return 'no_new_claims';
  return spent * 100 >= cap * 80 ? 'cheaper' : 'normal';
}

/** What may still be reserved; null without a cap, never negative. @throws INVALID_INPUT for an amount that is none */
export function budgetRoom(budget: Budget): number | null {
  checkBudget(budget);
  if (budget.capMicroUsd === null) return null;
  return Math.max(0, budget.capMicroUsd - budget.spentMicroUsd - budget.reservedMicroUsd);
}

/** Promises an amount to a task, if there is room for all of it. @throws INVALID_INPUT for an amount that is none */
export function reserve(
  budget: Budget,
  amountMicroUsd: number,
): { ok: true; budget: Budget } | { ok: false; missingMicroUsd: number } {
  const room = budgetRoom(budget);
  checkMicroUsd(amountMicroUsd, 'amountMicroUsd');
  if (room !== null && amountMicroUsd > room) return { ok: false, missingMicroUsd: amountMicroUsd - room };
  return { ok: true, budget: { ...budget, reservedMicroUsd: budget.reservedMicroUsd + amountMicroUsd } };
}

/**
 * Books a cost against a task's reservation: what was promised becomes spent.
 *
 * @param options.reservationMicroUsd what is left of the task's reservation
 * @returns the budget, what is left of the reservation, and `exceeded` when the cost went beyond it: the money is gone and
 *   booked all the same, and the agent must be stopped
 * @throws INVALID_INPUT for an amount that is none
 */
export function book(
  budget: Budget,
  options: { costMicroUsd: number; reservationMicroUsd: number },
): { budget: Budget; reservationMicroUsd: number; exceeded: boolean } {
  const { costMicroUsd, reservationMicroUsd } = options;
  checkBudget(budget);
  checkMicroUsd(costMicroUsd, 'costMicroUsd');
  checkMicroUsd(reservationMicroUsd, 'reservationMicroUsd');
  const covered = Math.min(costMicroUsd, reservationMicroUsd);
  return {
    budget: {
      ...budget,
      spentMicroUsd: budget.spentMicroUsd + costMicroUsd,
      reservedMicroUsd: Math.max(0, budget.reservedMicroUsd - covered),
    },
    reservationMicroUsd: reservationMicroUsd - covered,
    exceeded: costMicroUsd > reservationMicroUsd,
  };
}

/**
 * Gives back what is left of a reservation, once its process is known to be dead.
 * @throws INVALID_INPUT for an amount that is none
 */
export function release(budget: Budget, reservationMicroUsd: number): Budget {
  checkBudget(budget);
  checkMicroUsd(reservationMicroUsd, 'reservationMicroUsd');
  return { ...budget, reservedMicroUsd: Math.max(0, budget.reservedMicroUsd - reservationMicroUsd) };
}

/** Only null is no cap: a cap that was left out or could not be read is a mistake. */
function checkBudget({ capMicroUsd, spentMicroUsd, reservedMicroUsd }: Budget): void {
  if (capMicroUsd !== null) checkMicroUsd(capMicroUsd, 'capMicroUsd');
  checkMicroUsd(spentMicroUsd, 'spentMicroUsd');
  checkMicroUsd(reservedMicroUsd, 'reservedMicroUsd');
}
