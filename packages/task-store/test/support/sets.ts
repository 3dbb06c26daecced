import { afterAll, beforeAll } from 'vitest';
import { claim } from '../../src/claims/claim.ts';
import { claimSet } from '../../src/claims/claim-set.ts';
import { openDb } from '../../src/open.ts';
import { completeClaim } from '../../src/model/new-claim.ts';
import type { Claim, NewClaim } from '../../src/index.ts';

/** Claims as one set, whatever else is asked for at this moment; what the set does not take is claimed one by one, in order. */
export function setClaims(held: {
  readonly url: string;
}): (asked: NewClaim, count: number) => Promise<Claim[]> {
  let opened: ReturnType<typeof openDb> | undefined;
  beforeAll(() => void (opened = openDb({ url: held.url })));
  afterAll(() => opened?.close());
  return async (asked, count) => {
    if (opened === undefined) throw new Error('claimed before the tests began');
    const { db } = opened;
    const { workerId, ...kind } = completeClaim(asked);
    const workers = Array.from({ length: count }, () => workerId);
    const { claims, cut } = await claimSet(db, kind, workers);
    for (let more = cut; more && claims.length < count;) {
      const next = await claim(db, { ...kind, workerId, maxTasks: 1 });
      if (next !== null) claims.push(next);
      more = next !== null;
    }
    return claims;
  };
}
