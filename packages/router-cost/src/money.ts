import { BatonError } from '@baton/contracts';

/**
 * For callers that no type checker saw. An amount that is no number would make every comparison with it false, and a budget
 * with it would have room for anything; a negative one would give room back.
 *
 * @param name of the amount, as the caller wrote it
 * @throws INVALID_INPUT
 */
export function checkMicroUsd(value: number, name: string): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new BatonError('INVALID_INPUT', `${name} is ${shown(value)}, not an amount of money.`, {
    at: name,
    fix: 'Give whole micro-dollars from 0 on, such as 1_500_000 for $1.50.',
  });
}

/** @throws INVALID_INPUT for a number of tokens that cannot be one */
export function checkTokens(value: number, name: string): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new BatonError('INVALID_INPUT', `${name} is ${shown(value)}, not a number of tokens.`, {
    at: name,
    fix: 'Give the whole number of tokens, 0 where there were none.',
  });
}

/** @throws INVALID_INPUT for what is no moment, or is written as text */
export function checkMoment(value: Date, name: string): void {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return;
  throw new BatonError('INVALID_INPUT', `${name} is ${shown(value)}, not a moment.`, {
    at: name,
    fix: "Give a valid Date, such as new Date('2026-11-21T12:00:00Z').",
  });
}

function shown(value: unknown): string {
  return typeof value === 'string' ? 'text' : typeof value === 'object' ? 'no valid one' : String(value);
}
