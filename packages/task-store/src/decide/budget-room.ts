import type { Task } from '../model/task.ts';
import type { Run } from '../model/run.ts';

/** What a run's budget leaves to its open tasks. */
export interface Money {
  /** From 95 % on nothing new begins. */
  spent: boolean;
  /** The budget is $0: nothing may cost anything, so nothing begins. */
  none: boolean;
  /** Micro-dollars that are neither spent nor reserved. */
  freeMicroUsd: number;
  /** Reservations are held: some of it may come back. */
  reserved: boolean;
}

/** What of a task its need for money shows in. */
export interface Need {
  key: string;
  maxCostMicroUsd: Task['maxCostMicroUsd'];
  /** Why its worker gave it back, when it sleeps since then and nothing has been freed since. */
  refusal: 'budget' | 'price_unknown' | null;
}

/** Null: the run has no budget. */
export function moneyOf({
  budgetMicroUsd: cap,
  spentMicroUsd: spent,
  reservedMicroUsd: reserved,
}: Pick<Run, 'budgetMicroUsd' | 'spentMicroUsd' | 'reservedMicroUsd'>): Money | null {
  if (cap === null) return null;
  return {
    spent: spent * 100 >= cap * 95,
    none: cap === 0,
    freeMicroUsd: cap - spent - reserved,
    reserved: reserved > 0,
  };
}

/** Nothing but a person's word lets this task begin: no reservation that is still held could make room for it. */
export function lacksMoney(task: Need, money: Money | null): boolean {
  if (money === null) return false;
  if (money.spent || task.refusal === 'price_unknown') return true;
  const short = task.refusal === 'budget' || (task.maxCostMicroUsd ?? 1) > money.freeMicroUsd;
  return short && !money.reserved;
}

/** Why these tasks wait for money, and what to type. */
export function moneyReason(
  tasks: readonly [Need, ...Need[]],
  { money, slug, keys }: { money: Money; slug: string; keys: string },
): string {
  if (money.none) return `nothing starts on a budget of $0; raise it with \`baton budget <usd> ${slug}\``;
  if (money.spent) return `the budget is spent; raise it with \`baton budget <usd> ${slug}\``;
  if (tasks.every(({ refusal }) => refusal === 'price_unknown'))
    return `the prices of the models of these are unknown: ${keys}; name others, or lift the budget with \`baton budget none ${slug}\``;
  const needs = tasks.flatMap(({ maxCostMicroUsd }) => maxCostMicroUsd ?? []);
  const least = needs.length < tasks.length ? '' : `, at least ${dollars(Math.min(...needs))} are needed`;
  return `the budget has no room for ${keys}: ${dollars(money.freeMicroUsd)} are left${least}; raise it with \`baton budget <usd> ${slug}\``;
}

/** Micro-dollars for people. */
export const dollars = (microUsd: number): string => `$${microUsd / 1_000_000}`;
