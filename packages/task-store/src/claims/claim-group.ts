import type { ClaimRequest } from '../model/requests.ts';
import { claimSet, type ClaimKind } from './claim-set.ts';
import type { Db } from '../db/query.ts';
import type { GroupOptions } from '../db/group-commit.ts';
import type { Claim } from '../model/task.ts';

/** Sets on their way at once, the second while the first waits for a lock; and claims in one. */
const lanes = 2;
const spareAfterMs = 50;
const most = 50;
/** After a set that could take nothing of what was ready, so many go one by one before the next is tried. */
const singlesAfterCut = 64;

/** What claims of the same kind have in common, as text. */
const kindText = ({ leaseMs, runId, capabilities: { host, labels, roles } }: ClaimKind): string =>
  JSON.stringify([leaseMs, runId ?? null, host, labels, roles ?? null]);

/**
 * Claims of one task each that come together take what is ready in one statement; null for those that should look for
 * themselves, see {@link createGroup}.
 */
export function claimGroup(db: Db): GroupOptions<ClaimRequest, Claim | null> {
  const singles = new Map<string, number>();
  return {
    lanes,
    spareAfterMs,
    most,
    kindOf: kindText,
    keysOf: () => [],
    async send(requests) {
      const [first] = requests;
      if (first === undefined) return [];
      const kind = kindText(first);
      const left = singles.get(kind) ?? 0;
      if (requests.length === 1 || left > 0) {
        if (left > requests.length) singles.set(kind, left - requests.length);
        else singles.delete(kind);
        return requests.map(() => null);
      }
      const { claims, cut } = await claimSet(
        db,
        first,
        requests.map(({ workerId }) => workerId),
      );
      if (cut && claims.length === 0) singles.set(kind, singlesAfterCut);
      return requests.map((_, at) => claims[at] ?? null);
    },
  };
}
