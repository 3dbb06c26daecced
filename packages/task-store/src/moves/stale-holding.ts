import type { Fact } from '../facts.ts';
import type { Holding } from '../types.ts';
import type { Item } from './situation.ts';

/** The attempts that a fact says it holds. */
export function holdingsOf(fact: Fact): Holding[] {
  if ('holding' in fact) return [fact.holding];
  return 'holdings' in fact ? fact.holdings : [];
}

/** The first attempt that a fact claims to hold under a fence that is another's by now; undefined when there is none. Pure. */
export function staleItem(fact: Fact, items: readonly Item[]): Item | undefined {
  const fences = new Map(holdingsOf(fact).map((holding) => [holding.attemptId, holding.fence]));
  return items.find(({ attempt }) => fences.has(attempt.id) && fences.get(attempt.id) !== attempt.fence);
}
