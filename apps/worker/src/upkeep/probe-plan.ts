import type { ConflictNote, WorkUnderWay } from '@baton/task-store';

/** Work of one attempt at the moment of a look: what it began from and what it holds. */
export interface Work {
  attemptId: string;
  /** A commit. */
  startCommit: string;
  /** Id of its tree. */
  tree: string;
}

/** Two pieces of work, or one and the target as it is. */
export interface Pair {
  one: Work;
  other: Work | null;
}

/** What is known of a pair. */
export interface Probed {
  /** What was merged: the same again would end the same. */
  mark: string;
  /** The files in conflict; empty: it merges. */
  files: readonly string[];
  /** When a conflict was first found; ISO 8601. */
  since: string;
  /** Number of the round in which it was last probed. */
  round: number;
}

/** What is known, by {@link pairKey}. */
export type Known = ReadonlyMap<string, Probed>;

/** Most merges of one round. */
export const mostMerges = 60;
/** Most pieces of work on one target that are looked at; the oldest first. */
export const mostWorks = 24;
const mostFiles = 20;

/** Names a pair, whatever its order and content. */
export function pairKey({ one, other }: Pair): string {
  return other === null ? one.attemptId : [one.attemptId, other.attemptId].sort().join(' ');
}

/** Names what would be merged for a pair on a head of the target. */
export function markOf(head: string, { one, other }: Pair): string {
  const named = (work: Work): string => `${work.startCommit}:${work.tree}`;
  return [head, named(one), ...(other === null ? [] : [named(other)])].join(' ');
}

/** All pairs of work on one target, each piece with the target first. */
export function pairsOf(works: readonly Work[]): Pair[] {
  const alone = works.map((one) => ({ one, other: null }));
  return [
    ...alone,
    ...works.flatMap((one, at) => works.slice(at + 1).map((other): Pair => ({ one, other }))),
  ];
}

/** The pairs that a round merges: those that changed since they were last probed, the longest ago first. Pure. */
export function pairsToProbe(
  pairs: readonly Pair[],
  { head, known, limit }: { head: string; known: Known; limit: number },
): Pair[] {
  const roundOf = (pair: Pair): number => known.get(pairKey(pair))?.round ?? -1;
  return pairs
    .filter((pair) => known.get(pairKey(pair))?.mark !== markOf(head, pair))
    .sort((a, b) => roundOf(a) - roundOf(b))
    .slice(0, Math.max(0, limit));
}

/** What is said of the pairs: those that were not reached this time keep what was found before. Pure. */
export function notesOf(
  pairs: readonly Pair[],
  { target, known }: { target: string; known: Known },
): ConflictNote[] {
  return pairs.flatMap((pair) => {
    const found = known.get(pairKey(pair));
    if (found === undefined || found.files.length === 0) return [];
    return [
      {
        attempts: [pair.one.attemptId, pair.other?.attemptId ?? null] as const,
        target,
        files: found.files.slice(0, mostFiles),
        more: Math.max(0, found.files.length - mostFiles),
        since: found.since,
      },
    ];
  });
}

/**
 * The work on each target that this worker looks at: of the living workers of one host and state folder, the first by id looks for all.
 * Pure.
 * @param options.isNear whether a worktree lies in the state folder of this worker
 */
export function lanesToProbe(
  works: readonly WorkUnderWay[],
  { workerId, isNear }: { workerId: string; isNear: (work: WorkUnderWay) => boolean },
): WorkUnderWay[][] {
  const lanes = Object.values(Object.groupBy(works, ({ repoId, target }) => `${repoId} ${target}`));
  return lanes.flatMap((lane = []) => {
    const probers = lane.flatMap((work) =>
      work.workerId !== null && (work.workerLives || work.workerId === workerId) && isNear(work)
        ? [work.workerId]
        : [],
    );
    return probers.sort()[0] === workerId ? [lane.slice(0, mostWorks)] : [];
  });
}
