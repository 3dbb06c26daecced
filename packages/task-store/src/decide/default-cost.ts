import type { Scope } from '@baton/contracts';

/**
 * What is reserved for a task that names no max_cost, by its scope: integer micro-dollars, from what such tasks cost with a
 * mid-price model. The one table of them: {@link migrate} gives it to the database, which reserves by it; the router gets what
 * was reserved.
 */
export const defaultCostMicroUsd: Readonly<Record<Scope, number>> = {
  small: 500_000,
  medium: 1_000_000,
  large: 3_000_000,
  xl: 6_000_000,
};

/**
 * What a claim reserves for a first try: all that the task may cost, else the default of its scope, at most what is left.
 *
 * @param leftMicroUsd what is neither spent nor reserved of the run's budget; null: it has none
 * @returns integer micro-dollars
 */
export function reservationFor(
  task: { scope: Scope; maxCostMicroUsd: number | null },
  leftMicroUsd: number | null,
): number {
  if (task.maxCostMicroUsd !== null) return task.maxCostMicroUsd;
  const usual = defaultCostMicroUsd[task.scope];
  return leftMicroUsd === null ? usual : Math.max(0, Math.min(usual, leftMicroUsd));
}

/** The function of the database that gives a scope's default, with the figures of {@link defaultCostMicroUsd}. */
export const defaultCostFunction = `CREATE OR REPLACE FUNCTION baton_default_cost(scope text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE scope ${Object.entries(defaultCostMicroUsd)
    .map(([scope, cost]) => `WHEN '${scope}' THEN ${cost}`)
    .join(' ')} END::bigint;
$$`;
