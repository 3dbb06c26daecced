import type { Scope } from '@baton/contracts';

const cents = 10_000;

/** What a task of each scope may cost when nobody says: rounded up from what such tasks cost with a mid-price model. */
const byScope: Readonly<Record<Scope, number>> = {
  small: 50 * cents,
  medium: 150 * cents,
  large: 400 * cents,
  xl: 1_000 * cents,
};

/** Roles that read much more than they write, or plan for many; others count once. */
const byRole: Readonly<Record<string, number>> = {
  manager: 1.5,
  architect: 1.5,
  resolver: 0.5,
  reviewer: 0.5,
  docs: 0.5,
};

/**
 * What is reserved for a task before it starts: its own `maxCostMicroUsd`, else a default by scope and role.
 * @returns integer micro-dollars
 */
export function reservationFor(task: { role: string; scope: Scope; maxCostMicroUsd: number | null }): number {
  if (task.maxCostMicroUsd !== null) return task.maxCostMicroUsd;
  const factor = Object.hasOwn(byRole, task.role) ? (byRole[task.role] ?? 1) : 1;
  return Math.round(byScope[task.scope] * factor);
}
