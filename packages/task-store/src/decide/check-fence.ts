import type { Fact } from '../model/fact.ts';
import type { Holding } from '../model/task.ts';
import type { Item } from './situation.ts';

/** The attempts that facts say they hold. */
export function holdingsOf(facts: readonly Fact[]): Holding[] {
  return facts.flatMap((fact) => {
    if ('holding' in fact) return [fact.holding];
    return 'holdings' in fact ? fact.holdings : [];
  });
}

/** The first attempt that is said to be held under a fence that is another's by now; undefined when there is none. Pure. */
export function staleItem<I extends Item>(holdings: readonly Holding[], items: readonly I[]): I | undefined {
  return items.find(({ attempt }) =>
    holdings.some(({ attemptId, fence }) => attemptId === attempt.id && fence !== attempt.fence),
  );
}

/**
 * Is a report lost that misses because an attempt has another fence by now? One about a session holds nothing: it is only decided
 * again, or the end of a session would be lost when the lane takes its work at that moment. Pure.
 */
export function isLostByFence(holdings: readonly Holding[]): boolean {
  return holdings.length > 0;
}
