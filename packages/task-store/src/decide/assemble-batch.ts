/** What batching looks at of a task. */
export interface BatchCandidate {
  id: string;
  /** Path prefixes that it owns. */
  files: readonly string[];
  scope: string;
  /** Tasks that it still waits for. */
  waitsFor: readonly string[];
}

const aloneScopes = ['large', 'xl'];

/**
 * Chooses who shares an agent with the head: nearest by path (same file, directory, module), then by rank. A candidate that
 * waits only for tasks earlier in the batch may join; a large or XL task goes alone. Pure. Source: docs/spec/store.md#batches.
 *
 * @param candidates by rank
 * @param limit tasks at most, the head included
 * @returns ids in the order of work, the head first
 */
export function assembleBatch(
  head: BatchCandidate,
  candidates: readonly BatchCandidate[],
  limit: number,
): string[] {
  const batch = [head];
  if (aloneScopes.includes(head.scope)) return [head.id];
  const left = candidates.filter(
    (candidate) => candidate.id !== head.id && !aloneScopes.includes(candidate.scope),
  );
  while (batch.length < limit) {
    const inBatch = new Set(batch.map(({ id }) => id));
    let best: { candidate: BatchCandidate; nearness: number } | undefined;
    for (const candidate of left) {
      if (inBatch.has(candidate.id) || !candidate.waitsFor.every((id) => inBatch.has(id))) continue;
      // What waits for the batch itself belongs to it as nothing else does.
      const nearness = candidate.waitsFor.length > 0 ? 4 : nearest(batch, candidate);
      if (best === undefined || nearness > best.nearness) best = { candidate, nearness };
    }
    if (best === undefined) break;
    batch.push(best.candidate);
  }
  return batch.map(({ id }) => id);
}

function nearest(batch: readonly BatchCandidate[], candidate: BatchCandidate): number {
  return Math.max(
    0,
    ...batch.flatMap((member) => member.files.flatMap((a) => candidate.files.map((b) => nearness(a, b)))),
  );
}

/** 3: same file, 2: same directory, 1: same top-level module, 0: apart. */
function nearness(a: string, b: string): number {
  const [left, right] = [a.split('/').filter(Boolean), b.split('/').filter(Boolean)];
  if (left.join('/') === right.join('/')) return 3;
  if (left.slice(0, -1).join('/') === right.slice(0, -1).join('/')) return 2;
  return left[0] === right[0] ? 1 : 0;
}
