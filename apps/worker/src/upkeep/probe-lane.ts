import path from 'node:path';
import { tryMerge } from '@baton/janitor';
import { asideObjects, presentTree, type Clone } from '@baton/spawner';
import type { ConflictNote, WorkUnderWay } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import { headNearby } from '../context/target-head.ts';
import {
  markOf,
  mostMerges,
  notesOf,
  pairKey,
  pairsOf,
  pairsToProbe,
  type Pair,
  type Probed,
  type Work,
} from './probe-plan.ts';

/** What is remembered of one target from round to round. */
export interface LaneMemory {
  /** What is known of its pairs, by `pairKey`. */
  probed: Map<string, Probed>;
  /** Commits that attempts at work here began from, as they were last seen. */
  starts: Map<string, string>;
}

/** Where a round writes what nothing keeps. */
export interface ProbePlace {
  /** Folder of this process. */
  scratch: string;
  round: number;
  isNear: (work: WorkUnderWay) => boolean;
  /** Whether no agent is at work here any more, so that the worker may be ending. */
  isOver: () => boolean;
}

type Merged = Awaited<ReturnType<typeof tryMerge>>;

/**
 * Looks at the work under way on one target and says what of it would conflict, with one another or with the target as it is. Nothing
 * but the memory and the scratch folder is written; work whose objects are not in this worker's clone is left out.
 * @throws GIT_FAILED
 */
export async function probeLane(
  ctx: WorkerContext,
  lane: readonly WorkUnderWay[],
  { memory, place }: { memory: LaneMemory; place: ProbePlace },
): Promise<ConflictNote[]> {
  const [first] = lane;
  if (first === undefined) return [];
  const { repoId: id, location, host, target } = first;
  const clone = await ctx.repos.clone({ id, location, host });
  const head = await headNearby(ctx, { clone, location, target });
  if (head === null || isIdle(lane, { head, memory })) return [];
  const env = asideObjects(clone, path.join(place.scratch, 'objects'));
  const works = await worksOf(lane, { clone, place, env });
  memory.starts = new Map(works.map(({ attemptId, startCommit }) => [attemptId, startCommit]));
  const pairs = pairsOf(await changed(works, clone));
  const merges = mergesOf({ git: ctx.git, clone: clone.path, env }, head);
  const before = memory.probed;
  memory.probed = kept(before, pairs);
  const wanted = pairsToProbe(pairs, { head, known: before, limit: mostMerges });
  for (const pair of wanted) {
    if (place.isOver()) break;
    const files = await merges.filesOf(pair);
    const key = pairKey(pair);
    const was = before.get(key);
    const since = was !== undefined && was.files.length > 0 ? was.since : ctx.clock.now().toISOString();
    memory.probed.set(key, { mark: markOf(head, pair), files, since, round: place.round });
  }
  return notesOf(pairs, { target, known: memory.probed });
}

/** One agent alone, on the head of the target: there is nothing that it could conflict with. */
function isIdle(
  lane: readonly WorkUnderWay[],
  { head, memory }: { head: string; memory: LaneMemory },
): boolean {
  const [only] = lane;
  return lane.length === 1 && only !== undefined && memory.starts.get(only.attemptId) === head;
}

/** What is known of pairs that are still there. */
function kept(known: ReadonlyMap<string, Probed>, pairs: readonly Pair[]): Map<string, Probed> {
  const there = pairs.map(pairKey);
  return new Map(there.flatMap((key) => (known.has(key) ? [[key, known.get(key) as Probed]] : [])));
}

/** The work that can be seen here. */
async function worksOf(
  lane: readonly WorkUnderWay[],
  given: { clone: Clone; place: ProbePlace; env: Record<string, string> },
): Promise<Work[]> {
  const works: Work[] = [];
  for (const work of lane) {
    if (given.place.isOver()) break;
    const seen = work.place === null ? await finished(work, given.clone) : await present(work, given);
    if (seen !== null) works.push(seen);
  }
  return works;
}

/** The work that changes anything. */
async function changed(works: readonly Work[], clone: Clone): Promise<Work[]> {
  const trees = await Promise.all(works.map(({ startCommit }) => treeOf(clone, startCommit)));
  return works.filter(({ tree }, at) => trees[at] !== null && trees[at] !== tree);
}

/** Null: the commit is not there. */
async function treeOf({ git, path: cwd }: Clone, commit: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{tree}`];
  const found = await git(args, { cwd });
  return found.exitCode === 0 ? found.stdout.trim() : null;
}

/** A head counts where it has been brought in whole: its ref is made last. */
async function finished(work: WorkUnderWay, clone: Clone): Promise<Work | null> {
  const { attemptId, startCommit, headCommit, headPlace } = work;
  if (startCommit === null || headCommit === null || headPlace === null) return null;
  if ((await clone.resolve(headPlace.ref)) !== headCommit) return null;
  const tree = await treeOf(clone, headCommit);
  return tree === null ? null : { attemptId, startCommit, tree };
}

async function present(
  work: WorkUnderWay,
  { clone, place, env }: { clone: Clone; place: ProbePlace; env: Record<string, string> },
): Promise<Work | null> {
  if (work.place === null || !place.isNear(work)) return null;
  const { attemptId, taskId, fence } = work;
  const seen = await presentTree({ clone, worktree: work.place.workspace, scratch: place.scratch, env });
  if (seen === null || seen.owner.taskId !== taskId || seen.owner.fence !== fence) return null;
  return { attemptId, startCommit: seen.startCommit, tree: seen.tree };
}

/** Merges as landing would: each piece of work onto the head, and then the other one onto that. */
function mergesOf(
  at: { git: WorkerContext['git']; clone: string; env: Record<string, string> },
  head: string,
): { filesOf: (pair: Pair) => Promise<readonly string[]> } {
  const alone = new Map<string, Promise<Merged>>();
  const onHead = ({ startCommit, tree, attemptId }: Work): Promise<Merged> => {
    const made =
      alone.get(attemptId) ??
      (startCommit === head
        ? Promise.resolve({ tree })
        : tryMerge(at, { startCommit, onto: `${head}^{tree}`, tree }));
    alone.set(attemptId, made);
    return made;
  };
  return {
    async filesOf({ one, other }) {
      const landed = await onHead(one);
      if (other === null) return 'files' in landed ? landed.files : [];
      // What conflicts with the target itself is said of the target alone.
      if ('files' in landed || 'files' in (await onHead(other))) return [];
      const { startCommit, tree } = other;
      const merged = await tryMerge(at, { startCommit, onto: landed.tree, tree });
      return 'files' in merged ? merged.files : [];
    },
  };
}
