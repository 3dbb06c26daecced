import { BatonError, type Verdict } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import { landingRefOf } from '@baton/janitor';
import type { RepoAccess } from '../context/repos.ts';
import type { WorkerContext } from '../context/context.ts';
import { standingTarget } from '../open/standing-target.ts';
import type { CandidateTree } from '../verify/judge-tree.ts';
import { saidAhead, type Ahead } from './ahead.ts';
import type { AheadSlot } from './ahead-slot.ts';
import { dropSettledCandidates } from './candidate-refs.ts';
import { runsWithFewerTests } from './fewer-tests.ts';
import { landChain, type Chain, type ChainOutcome, type HeldLane } from './land-chain.ts';
import { noteLeft, whoLeft } from './who-left.ts';
import { vetoOf, type OnCandidate } from './land-task.ts';
import { failureText, giveBack, isPassing, landOrGiveBack, type AloneWork } from './land-work.ts';
import { redGatesOf } from './red-on-target.ts';
import { halvesOf, restAfter, singlesOf, type Part } from './parts.ts';
import { judgeTrain, mayJoin, stackTrain, verifiedTrain, type Members } from './train.ts';

/** Most tasks that land as one: of 16, one that is red is found with at most 9 more verifications. */
export const longestTrain = 16;

/** Work on a lane, and whether it is still ours. */
export interface LaneWork {
  held: HeldLane;
  works: readonly LandingWork[];
  /** What is verified before its turn. */
  ahead: AheadSlot;
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

/**
 * Takes what lands next on a lane, in landing order: a task, and those behind it that may land together with it. Nothing is waited for.
 * @param options.besides Work that is taken already; what is taken is then of the same run. Absent: of any run.
 */
export async function takeNext(
  ctx: WorkerContext,
  { held, besides = [] }: { held: HeldLane; besides?: readonly LandingWork[] },
): Promise<LandingWork[]> {
  const works: LandingWork[] = [];
  const longest = ctx.trainLengths.get(held.lane.id) ?? longestTrain;
  let runId = besides[0]?.run.id ?? ctx.runId;
  while (works[0] === undefined || (works.length < longest && mayJoin(works[0]))) {
    const next = await ctx.store.lanes.takeForLanding(held.lane, {
      host: ctx.worker.host,
      ...(runId === null ? {} : { runId }),
      besides: [...besides, ...works].map(({ attempt }) => attempt.id),
    });
    if (next === null) break;
    works.push(next);
    runId = next.run.id;
  }
  return works;
}

/**
 * Lands work of one run: as one where that passes, else in halves, so that in the end each red is judged alone and no task is refused
 * for the work of another (docs/spec/landing.md#merge-trains).
 */
export async function landWorks(ctx: WorkerContext, lane: LaneWork): Promise<Landed> {
  const waiting: Part[] = [{ works: lane.works }];
  let isTargetRed = false;
  let isGreen: boolean | null = null;
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    if (!lane.isOurs()) return { outcome: 'lost', isGreen: false };
    const landed = await landPart(ctx, { ...lane, part, waiting });
    isGreen ??= landed.isGreen;
    if (landed.outcome === 'waits' || landed.outcome === 'lost')
      return { outcome: landed.outcome, isGreen: false };
    waiting.splice(0, waiting.length, ...landed.parts, ...restAfter(waiting, landed));
    if (landed.outcome !== 'target red' || isTargetRed) continue;
    // What is red on the target is red in each train, but maybe not all that is red in a task.
    isTargetRed = true;
    waiting.splice(0, waiting.length, ...singlesOf(waiting.flatMap(({ works }) => works)));
  }
  return { outcome: isTargetRed ? 'target red' : 'next', isGreen: isGreen ?? true };
}

/** How a part ended, and what of it is to be landed in other parts. */
type LandedPart = Landed & { parts: Part[] };

/** A part in its turn. */
type PartWork = LaneWork & { part: Part; waiting: readonly Part[] };

/** Lands a part, or says into which parts it is divided; beside it, what lands next is verified, as long as it ends as expected. */
async function landPart(ctx: WorkerContext, lane: PartWork): Promise<LandedPart> {
  const { part, ahead } = lane;
  const isRed = part.isRed === true;
  if (isRed && part.works.length > 1)
    return { outcome: 'next', isGreen: false, parts: halvesOf(part.works, part.redGates) };
  const own = await ahead.take(part.works);
  try {
    const landed = await landOnce(ctx, { ...lane, own });
    if (landed.isGreen === isRed) await ahead.drop();
    return landed;
  } finally {
    await own?.stop();
  }
}

async function landOnce(
  ctx: WorkerContext,
  { part, waiting, own, ...lane }: PartWork & { own: Ahead | null },
): Promise<LandedPart> {
  const [only, ...others] = part.works;
  if (only === undefined) return { outcome: 'next', isGreen: true, parts: [] };
  const isRed = part.isRed === true;
  const onCandidate = ({ commit, onto }: CandidateTree): Promise<void> =>
    lane.ahead.start(ctx, { present: part.works, waiting, base: isRed ? onto : commit });
  if (others.length === 0) {
    await own?.ended; // its greens are remembered
    const redTogether = isRed ? part.redGates : undefined;
    return { ...(await landAlone(ctx, { ...lane, work: only, onCandidate, redTogether })), parts: [] };
  }
  const tried = await landTogether(ctx, { ...lane, works: part.works, first: only, own, onCandidate });
  if (typeof tried === 'string') return { outcome: tried, isGreen: false, parts: [] };
  return { outcome: 'next', ...tried };
}

/** What is still to be landed, in parts, and whether the rest has landed as one. */
type Tried = { isGreen: boolean; parts: Part[] } | 'waits' | 'lost';

/** A train in the making, and what was said of it before its turn. */
type TrainWork = LaneWork & { first: LandingWork; own: Ahead | null; onCandidate: OnCandidate };

async function landTogether(ctx: WorkerContext, lane: TrainWork): Promise<Tried> {
  for (;;) {
    const ready = await readyTrain(ctx, lane).catch(async (cause: unknown): Promise<Tried> => {
      const rest = BatonError.is(cause, 'LEASE_LOST') ? await withoutGone(ctx, lane.works) : null;
      if (rest !== null) return rest;
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
    const rest = moved === 'parted' ? await withoutGone(ctx, lane.works) : null;
    if (rest !== null) return rest;
    if (moved === 'landed') return { isGreen: true, parts: singlesOf(ready.left) };
    return moved === 'parted' ? 'lost' : moved;
  }
}

/** What is left of a train of which some was cancelled while it was verified: a shorter train. Null: none of it was. */
async function withoutGone(ctx: WorkerContext, works: readonly LandingWork[]): Promise<Tried | null> {
  const parted = await whoLeft(ctx, works);
  if (parted.gone.length === 0) return null;
  await noteLeft(ctx, parted);
  return { isGreen: false, parts: parted.stays.length === 0 ? [] : [{ works: parted.stays }] };
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
  { held, works, first: { run, repo: place }, own, onCandidate }: TrainWork,
): Promise<Ready | Tried> {
  const repo = await ctx.repos.open(run, place);
  const tasks = works.map(({ task }) => task);
  const standing = await standingTarget(ctx, { run, repo: place, clone: repo.clone, tasks });
  if (!standing.ok) {
    await ctx.store.lanes.noteWait(held.lane, { cause: 'target_moved', text: standing.text });
    return 'waits';
  }
  const { head } = standing;
  const { members, left } = await stackTrain(ctx, { works, repo, head });
  if (members === null) return { isGreen: false, parts: singlesOf(left) };
  await onCandidate((members.at(-1) ?? members[0]).candidate);
  const said = await saidAhead(ctx, { ahead: own, members, repo, head });
  const judged = said ?? (await judgeTrain(ctx, { members, repo, head }));
  if (!judged.verdict.passed) {
    const halves = halvesOf(
      members.map(({ work }) => work),
      redGatesOf(judged.verdict).map(({ name }) => name),
    );
    const parts = [...halves, ...singlesOf(left)];
    return { isGreen: false, parts };
  }
  if (await runsFewerTests(ctx, { members, repo, head, verdict: judged.verdict }))
    return { isGreen: false, parts: singlesOf([...members.map(({ work }) => work), ...left]) };
  const chain = await verifiedTrain(ctx, { members, repo, judged });
  const vetoed: LandingWork[] = [];
  for (const each of chain) if ((await vetoOf(ctx, each)) !== null) vetoed.push(each.work);
  if (vetoed.length === 0) return { repo, chain, left };
  const others = chain.map(({ work }) => work).filter((work) => !vetoed.includes(work));
  return { isGreen: false, parts: [{ works: others }, ...singlesOf([...vetoed, ...left])] };
}

/** Whether a green train ran fewer tests than its head: alone each of its tasks shows whether that was its doing. */
async function runsFewerTests(
  ctx: WorkerContext,
  { members, repo, head, verdict }: { members: Members; repo: RepoAccess; head: string; verdict: Verdict },
): Promise<boolean> {
  const { tree } = (members.at(-1) ?? members[0]).candidate;
  const changes = members.flatMap(({ candidate }) => candidate.changes);
  const compared = { run: members[0].work.run, repo, candidate: { tree, onto: head, changes }, verdict };
  return (await runsWithFewerTests(ctx, compared)).length > 0;
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
  { held, work, onChange, ...asked }: LaneWork & Pick<AloneWork, 'onCandidate' | 'redTogether' | 'work'>,
): Promise<Landed> {
  const { onCandidate, redTogether } = asked;
  const outcome = await landOrGiveBack(ctx, { held, work, onCandidate, redTogether }).finally(onChange);
  const isGreen = outcome === 'landed';
  if (outcome === 'given back') return { outcome: 'next', isGreen };
  if (outcome === 'target red') return { outcome, isGreen };
  if (outcome === 'parted') {
    await noteLeft(ctx, { gone: [work], stays: [] });
    return { outcome: 'next', isGreen };
  }
  if (work.approvedPatchId !== null) await dropSettledCandidates(ctx, work.repo);
  // An earlier go may have published it and then lost the database.
  const ref = landingRefOf({ repo: held.location, landingId: work.attempt.id });
  if (outcome === 'rejected' && ref !== null) held.settledRefs.add(ref);
  held.decidedRuns.add(work.run.id);
  return { outcome: outcome === 'waits' || outcome === 'lost' ? outcome : 'next', isGreen };
}
