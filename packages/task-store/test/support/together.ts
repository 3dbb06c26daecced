import type { Claim, NewClaim, Store } from '../../src/index.ts';

/**
 * Claims of one task each that come at one moment: one statement, in the order of the tasks; those for which something has to be
 * looked at go one by one, in any order.
 */
export async function claimTogether(store: Store, request: NewClaim, count: number): Promise<Claim[]> {
  const asked = Array.from({ length: count }, () => store.claims.claimBatch({ ...request, maxTasks: 1 }));
  return (await Promise.all(asked)).filter((claim) => claim !== null);
}
