import type { Git } from '@baton/contracts';
import { checkedOutAt } from '../land/checkout.ts';
import { localRef } from '../land/target-place.ts';
import { targetUse } from '../land/target-use.ts';
import { branchRef } from '../ref-name.ts';
import { gitFailed, gitSays, gitText } from '../run-git.ts';

/** What is swept, and what must stay. */
export interface SweepOptions {
  git: Git;
  /** The target's repository. */
  repo: string;
  storeId: string;
  /** Targets of runs that are not settled; their branches and lanes stay. */
  liveTargets: readonly string[];
  /** Targets of settled runs of this store, each with the heads that it recorded. A branch that is none, or has another head, stays. */
  settledTargets: readonly { target: string; heads: readonly string[] }[];
  /** Landings of this store that are settled. The refs of all others stay: they are open, or of another store. */
  settledLandings: readonly string[];
}

/** One destructive act, not yet done: a ref is deleted if it still holds `id`. */
export interface SweepAct {
  ref: string;
  id: string;
  /** One sentence: why nothing is lost. */
  reason: string;
}

/**
 * Lists what may be cleaned: branches of settled runs as they left them whose work is reachable from another branch, refs of settled
 * landings, lanes of branches that are gone or go with it. What this store did not record stays (docs/spec/landing.md#cleaning), in the order in which they may go. Nothing is changed: show or
 * record the plan first, then
 * {@link applySweep}.
 * @throws GIT_FAILED
 */
export async function sweepRefs(options: SweepOptions): Promise<SweepAct[]> {
  const refs = await listRefs(options);
  const branches = await mergedBranches(options, refs);
  const left = new Map(refs);
  for (const { ref } of branches) left.delete(ref);
  return [...branches, ...settledLandings(options, refs), ...goneLanes(options, left)];
}

/** Carries out a plan; a ref that moved since stays, and so does the lane of a branch that stays. @returns the acts that were done */
export async function applySweep(
  options: { git: Git; repo: string },
  acts: readonly SweepAct[],
): Promise<SweepAct[]> {
  const done: SweepAct[] = [];
  for (const act of acts) {
    const branch = /^refs\/baton\/lane\/[^/]+\/(.+)$/.exec(act.ref)?.[1];
    if (
      branch !== undefined &&
      (await localRef(options.git, { repo: options.repo, ref: branchRef(branch) })) !== null
    )
      continue;
    // Never what a symbolic ref leads to.
    const args = ['update-ref', '--no-deref', '-d', act.ref, act.id];
    // Deleting locks all packed refs of the user's repository: a git that was killed with us would leave that lock behind.
    const result = await options.git(args, { cwd: options.repo, finishes: true });
    if (result.exitCode === 0) done.push(act);
    else if (result.timedOut) throw gitFailed(args, result);
  }
  return done;
}

/** Each ref with what it holds; null: it is symbolic. */
type Refs = ReadonlyMap<string, string | null>;

async function listRefs({ git, repo }: SweepOptions): Promise<Refs> {
  const text = await gitText(
    git,
    [
      ...['for-each-ref', '--format=%(objectname) %(refname) %(symref)'],
      ...['refs/heads/', 'refs/remotes/', 'refs/baton/'],
    ],
    { cwd: repo },
  );
  const refs = text.split('\n').map((line) => line.split(' '));
  return new Map(
    refs.flatMap(([id = '', ref = '', leadsTo = '']) =>
      ref === '' ? [] : [[ref, leadsTo === '' ? id : null]],
    ),
  );
}

/** Refs that hold a commit themselves. */
const own = (refs: Refs): [ref: string, id: string][] =>
  [...refs].flatMap(([ref, id]) => (id === null ? [] : [[ref, id]]));

async function mergedBranches(options: SweepOptions, refs: Refs): Promise<SweepAct[]> {
  const acts: SweepAct[] = [];
  const others = own(refs).filter(
    ([ref]) =>
      (ref.startsWith('refs/heads/') || ref.startsWith('refs/remotes/')) &&
      !ref.startsWith('refs/heads/baton/'),
  );
  for (const [ref, id] of own(refs)) {
    const target = ref.slice('refs/heads/'.length);
    if (!ref.startsWith('refs/heads/baton/') || !isOver(options, { target, head: id, refs })) continue;
    if ((await checkedOutAt(options.git, { repo: options.repo, target })) !== null) continue;
    if ((await targetUse(options.git, { repo: options.repo, target })) !== null) continue;
    for (const [other, head] of others) {
      if (!(await gitSays(options.git, ['merge-base', '--is-ancestor', id, head], { cwd: options.repo })))
        continue;
      acts.push({
        ref,
        id,
        reason: `its commits are all in ${other.replace(/^refs\/(heads|remotes)\//, '')}`,
      });
      break;
    }
  }
  return acts;
}

/** Whether only settled runs of this store used a branch, and it is as they left it. */
function isOver(
  { storeId, liveTargets, settledTargets }: SweepOptions,
  { target, head, refs }: { target: string; head: string; refs: Refs },
): boolean {
  if (liveTargets.includes(target)) return false;
  const lane = /^refs\/baton\/lane\/([^/]+)\/(.+)$/;
  const isShared = [...refs.keys()].some((ref) => {
    const [, store, laneTarget] = lane.exec(ref) ?? [];
    return laneTarget === target && store !== storeId;
  });
  return !isShared && settledTargets.some((one) => one.target === target && one.heads.includes(head));
}

function settledLandings(options: SweepOptions, refs: Refs): SweepAct[] {
  const prefix = 'refs/baton/landing/';
  return own(refs)
    .filter(([ref]) => ref.startsWith(prefix) && options.settledLandings.includes(ref.slice(prefix.length)))
    .map(([ref, id]) => ({ ref, id, reason: 'its landing is settled' }));
}

function goneLanes(options: SweepOptions, refs: Refs): SweepAct[] {
  const prefix = `refs/baton/lane/${options.storeId}/`;
  return own(refs)
    .filter(([ref]) => ref.startsWith(prefix))
    .filter(
      ([ref]) =>
        !refs.has(`refs/heads/${ref.slice(prefix.length)}`) &&
        !options.liveTargets.includes(ref.slice(prefix.length)),
    )
    .map(([ref, id]) => ({ ref, id, reason: 'its branch is gone' }));
}
