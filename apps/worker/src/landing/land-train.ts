import type { LandingWork } from '@baton/task-store';
import { landingRefOf } from '@baton/janitor';
import type { RepoAccess } from '../context/repos.ts';
import type { WorkerContext } from '../context/context.ts';
import { standingTarget } from '../open/standing-target.ts';
import { dropSettledCandidates } from './candidate-refs.ts';
import { landChain, type Chain, type ChainOutcome, type HeldLane } from './land-chain.ts';
import { vetoOf } from './land-task.ts';
import { failureText, giveBack, isPassing, landOrGiveBack } from './land-work.ts';
import { judgeTrain, mayJoin, stackTrain, verifiedTrain } from './train.ts';

/** Most tasks that land as one: of 16, one that is red is found with at most 9 more verifications. */
export const longestTrain = 16;

/** Work on a lane, and whether it is still ours. */
export interface LaneWork {
  held: HeldLane;
  works: readonly LandingWork[];
  /** False: the lane was lost, or the worker stops. */
  isOurs: () => boolean;
  /** Told of each task that was decided or cannot land for now. */
  onChange: () => void;
}

/** How work ended: `next`: the lane takes what waits next; `target red`: the same, but gates are red on the target without it, too. */
type Outcome = 'next' | 'target red' | 'waits' | 'lost';

/** How work ended, and whether all of it was green at the first go. */
interface Landed {
  outcome: Outcome;
  isGreen: boolean;
}

/** Work that is still to be landed. */
interface Part {
  works: readonly LandingWork[];
  /** It was red together with the part before it: when that one is green, this one is the red one. */
  isRest?: true;
}

/** Takes what waits behind a task and may land together with it, in landing order; nothing is waited for. */
export async function takeTrain(
  ctx: WorkerContext,
  { held, first }: { held: HeldLane; first: LandingWork },
): Promise<LandingWork[]> {
  const works = [first];
  const longest = ctx.trainLengths.get(held.lane.id) ?? longestTrain;
  while (mayJoin(first) && works.length < longest) {
    const next = await ctx.store.lanes.takeForLanding(held.lane, {
      host: ctx.worker.host,
      runId: first.run.id,
      besides: works.map(({ attempt }) => attempt.id),
    });
    if (next === null) break;
    works.push(next);
  }
  return works;
}

/**
 * Lands work of one run: as one where that passes, else in halves, so that in the end each red is judged alone and no task is refused
 * for the work of another (docs/spec/landing.md#merge-trains).
 * @param lane.isRed It is known not to pass as one, so only its halves are tried.
 */
export async function landWorks(ctx: WorkerContext, lane: LaneWork & { isRed?: boolean }): Promise<Landed> {
  const [only, ...others] = lane.works;
  if (only === undefined) return { outcome: 'next', isGreen: true };
  if (!lane.isOurs()) return { outcome: 'lost', isGreen: false };
  if (others.length === 0) return landAlone(ctx, { ...lane, work: only });
  if (lane.isRed === true) return landParts(ctx, { ...lane, parts: halvesOf(lane.works) });
  const tried = await landTogether(ctx, { ...lane, first: only });
  if (typeof tried === 'string') return { outcome: tried, isGreen: false };
  const { outcome } = await landParts(ctx, { ...lane, parts: tried.parts });
  return { outcome, isGreen: tried.isGreen };
}

async function landParts(
  ctx: WorkerContext,
  { parts, ...lane }: LaneWork & { parts: readonly Part[] },
): Promise<Landed> {
  const waiting = [...parts];
  let isTargetRed = false;
  let isGreen = false;
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    const landed = await landWorks(ctx, {
      ...lane,
      works: part.works,
      isRed: part.isRest === true && isGreen,
    });
    ({ isGreen } = landed);
    if (landed.outcome === 'waits' || landed.outcome === 'lost') return { ...landed, isGreen: false };
    if (landed.outcome !== 'target red' || isTargetRed) continue;
    // What is red on the target is red in each train, but maybe not all that is red in a task.
    isTargetRed = true;
    const rest = singlesOf(waiting.flatMap(({ works }) => works));
    waiting.splice(0, waiting.length, ...rest);
  }
  return { outcome: isTargetRed ? 'target red' : 'next', isGreen: false };
}

const singlesOf = (works: readonly LandingWork[]): Part[] => works.map((work) => ({ works: [work] }));

function halvesOf(works: readonly LandingWork[]): Part[] {
  const middle = Math.ceil(works.length / 2);
  return [{ works: works.slice(0, middle) }, { works: works.slice(middle), isRest: true }];
}

/** What is still to be landed, in parts, and whether the rest has landed as one. */
type Tried = { isGreen: boolean; parts: Part[] } | 'waits' | 'lost';

async function landTogether(ctx: WorkerContext, lane: LaneWork & { first: LandingWork }): Promise<Tried> {
  for (;;) {
    const ready = await readyTrain(ctx, lane).catch((cause: unknown): Tried => {
      if (ctx.stopping.aborted || isPassing(cause)) throw cause;
      ctx.log.warn('finished work cannot land together; each task lands alone', {
        tasks: lane.works.map(({ task }) => task.key),
        why: failureText(cause),
      });
      return { isGreen: false, parts: singlesOf(lane.works) };
    });
    if (typeof ready === 'string' || 'parts' in ready) return ready;
    const moved = await moveTrain(ctx, { ...lane, ...ready });
    if (moved === 'again') continue;
    return moved === 'landed' ? { isGreen: true, parts: singlesOf(ready.left) } : moved;
  }
}

/** A train that passed, and what lands after it. */
interface Ready {
  repo: RepoAccess;
  chain: Chain;
  left: LandingWork[];
}

/** Stacks and judges work, up to what is written before the refs move. */
async function readyTrain(
  ctx: WorkerContext,
  { held, works, first: { run, repo: place } }: LaneWork & { first: LandingWork },
): Promise<Ready | Tried> {
  const repo = await ctx.repos.open(run, place);
  const standing = await standingTarget(ctx, { run, repo: place, clone: repo.clone });
  if (!standing.ok) {
    await ctx.store.lanes.noteWait(held.lane, { cause: 'target_moved', text: standing.text });
    return 'waits';
  }
  const { head } = standing;
  const { members, left } = await stackTrain(ctx, { works, repo, head });
  if (members === null) return { isGreen: false, parts: singlesOf(left) };
  const judged = await judgeTrain(ctx, { members, repo, head });
  if (!judged.verdict.passed) {
    const parts = [...halvesOf(members.map(({ work }) => work)), ...singlesOf(left)];
    return { isGreen: false, parts };
  }
  const chain = await verifiedTrain(ctx, { members, repo, judged });
  const vetoed: LandingWork[] = [];
  for (const each of chain) if ((await vetoOf(ctx, each)) !== null) vetoed.push(each.work);
  if (vetoed.length === 0) return { repo, chain, left };
  const others = chain.map(({ work }) => work).filter((work) => !vetoed.includes(work));
  return { isGreen: false, parts: [{ works: others }, ...singlesOf([...vetoed, ...left])] };
}

/**
 * Moves the target to the end of a train. Where that fails, intents may be open: nothing more is decided here, and the next holder of
 * the lane settles them first.
 */
async function moveTrain(
  ctx: WorkerContext,
  { held, repo, chain, onChange }: LaneWork & Ready,
): Promise<ChainOutcome> {
  try {
    const moved = await landChain(ctx, { held, repo, chain });
    if (moved === 'landed') held.decidedRuns.add(chain[0].work.run.id);
    return moved;
  } catch (cause) {
    if (ctx.stopping.aborted || isPassing(cause)) throw cause;
    ctx.landingRefs.mayBeLeft = true;
    for (const { work } of chain) await giveBack(ctx, { work, text: failureText(cause), pause: 'failed' });
    return 'lost';
  } finally {
    for (const _ of chain) onChange();
  }
}

/** After a red, the next trains of a lane are shorter: work that is often refused would be judged more often together than alone. */
export function noteTrain(
  ctx: WorkerContext,
  { held, length, isGreen }: { held: HeldLane; length: number; isGreen: boolean },
): void {
  if (length < 2) return;
  const longest = ctx.trainLengths.get(held.lane.id) ?? longestTrain;
  const next = isGreen ? Math.max(longest, 2 * length) : Math.max(2, Math.ceil(length / 2));
  ctx.trainLengths.set(held.lane.id, Math.min(longestTrain, next));
}

async function landAlone(
  ctx: WorkerContext,
  { held, work, onChange }: LaneWork & { work: LandingWork },
): Promise<Landed> {
  const outcome = await landOrGiveBack(ctx, { held, work }).finally(onChange);
  const isGreen = outcome === 'landed';
  if (outcome === 'given back') return { outcome: 'next', isGreen };
  if (outcome === 'target red') return { outcome, isGreen };
  if (work.approvedPatchId !== null) await dropSettledCandidates(ctx, work.repo);
  // An earlier go may have published it and then lost the database.
  const ref = landingRefOf({ repo: held.location, landingId: work.attempt.id });
  if (outcome === 'rejected' && ref !== null) held.settledRefs.add(ref);
  held.decidedRuns.add(work.run.id);
  return { outcome: outcome === 'waits' || outcome === 'lost' ? outcome : 'next', isGreen };
}
