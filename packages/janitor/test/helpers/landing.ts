import {
  buildCandidate,
  moveTarget,
  openLaneRef,
  publishCandidate,
  type Candidate,
  type LaneRef,
  type MoveOutcome,
} from '../../src/index.ts';
import { userAndClone, work, type Files, type UserAndClone } from './repos.ts';
import { git } from './run.ts';

/** A fixed date, so that candidates have the same id each time. */
export const at = new Date('2026-01-02T03:04:05Z');

/** A user's repository with a target and an open lane, and one candidate that could land. */
export interface Scene extends UserAndClone {
  target: string;
  lane: LaneRef;
}

/** Takes the lane of a target for a holder. */
export async function takeLane(options: {
  repo: string;
  clone?: string;
  target: string;
  epoch: number;
  holder?: string;
}): Promise<LaneRef> {
  const opened = await openLaneRef({ git, storeId: 'store', holder: 'worker-1', ...options });
  if (!opened.ok) throw new Error(`lane refused: ${opened.currentHolder} has epoch ${opened.currentEpoch}`);
  return opened.lane;
}

export async function scene(files: Files, options: { target?: string } = {}): Promise<Scene> {
  const made = await userAndClone(files);
  const target = options.target ?? 'work';
  if (target !== 'main') await git(['branch', target, made.base], { cwd: made.user });
  const lane = await takeLane({ repo: made.user, target, epoch: 1 });
  return { ...made, target, lane };
}

/** A candidate for the change `files`, made on `from` and published into the user's repository. */
export async function candidateFor(
  here: Scene,
  options: { from: string; files: Files; landingId: string },
): Promise<Extract<Candidate, { kind: 'clean' }>> {
  const { clone, user: repo } = here;
  const [head = ''] = await work(clone, options.from, options.files);
  const made = await buildCandidate({
    git,
    clone,
    targetHead: options.from,
    startCommit: options.from,
    headCommit: head,
    message: 'task',
    trailers: {},
    at,
  });
  if (made.kind !== 'clean') throw new Error(`candidate is ${made.kind}`);
  await publishCandidate({ git, clone, repo, commit: made.commit, landingId: options.landingId });
  return made;
}

/** Moves the scene's target by hand-given ends. */
export function land(
  here: Scene,
  options: { from: string; to: string; landingId: string; lane?: LaneRef },
): Promise<MoveOutcome> {
  const { user: repo, clone, target, stateDir } = here;
  return moveTarget({ git, repo, clone, target, stateDir, lane: here.lane, ...options });
}
