import { expect } from './expect.ts';
import { passed } from '../support/flow.ts';
import { actor, by, commit, headCommit, laneOf, pick, type Real } from './driver.ts';
import { carryOn, endAttempt, move } from './endings.ts';
import { rejected } from './rules.ts';
import type { Choice, Commands, Perform } from './command.ts';
import { isHeld, openAttempt, type ModelAttempt, type World } from './world.ts';

function landed(world: World, attempt: ModelAttempt): void {
  move(attempt.task, 'CLOSED');
  Object.assign(attempt.task, { settled: true, cancel: false });
  endAttempt(attempt, { outcome: 'done', counted: true, landing: null });
  carryOn(world, [attempt.task]);
}

/** What the lane may take next: finished work in order, but never before an earlier task of its batch. */
function nextToLand(world: World): ModelAttempt | undefined {
  const before = (attempt: ModelAttempt) =>
    (attempt.session?.attempts ?? []).some(
      (other) =>
        other.place < attempt.place &&
        !other.ended &&
        (isHeld(other.task) || ['ORPHANED', 'DONE'].includes(other.task.status)),
    );
  return world.tasks
    .filter(({ status, cancel }) => status === 'DONE' && !cancel)
    .flatMap((task) => openAttempt(task) ?? [])
    .filter(
      (attempt) =>
        ['VERIFYING', 'IDLE'].includes(attempt.turn) && attempt.landing === null && !before(attempt),
    )
    .sort((one, other) => one.doneAt - other.doneAt)[0];
}

async function take(world: World, real: Real): Promise<ModelAttempt | undefined> {
  const expected = nextToLand(world);
  const work = await real.store.lanes.takeForLanding(await laneOf(world, real), { runId: world.runId });
  expect(work?.task.key, 'next to land').toBe(expected?.task.key);
  if (expected === undefined || work === null) return undefined;
  expected.fence = ++expected.task.fence;
  expected.id = work.attempt.id;
  expect(work.attempt.fence).toBe(expected.fence);
  return expected;
}

const mine = ({ id, fence }: ModelAttempt) => ({ attemptId: id, fence });

const land: Perform = async (world, real, { at, way }) => {
  const attempt = await take(world, real);
  if (attempt === undefined) return;
  if (way % 6 === 0) return; // taken, and then nothing
  if (way % 6 === 1) return judge(world, real, { attempt, at });
  const tree = `tree-${attempt.id}`;
  const verdictId = await real.store.lanes.saveVerdict({
    holding: mine(attempt),
    checksHash: 'h',
    verdict: passed(tree),
  });
  const holder = { workerId: real.workerId, host: 'here', pid: 1, pidStarted: '1', lockFiles: [] };
  const member = { holding: mine(attempt), verdictId, candidateCommit: headCommit };
  const train = { lane: await laneOf(world, real), members: [member], fromCommit: commit, tree, holder };
  const [landingId = null] = (await real.store.lanes.writeIntents(train)) ?? [];
  const busy = world.tasks.some((task) => task.attempts.some(({ landing }) => landing !== null));
  expect(landingId === null, 'one landing of a lane at a time').toBe(busy);
  if (landingId === null) return;
  attempt.landing = landingId;
  if (way % 6 !== 2) await confirm(world, real, attempt);
};

async function confirm(world: World, real: Real, attempt: ModelAttempt): Promise<void> {
  const { taskId } = await real.store.lanes.confirm(attempt.landing ?? '', { actor });
  expect(taskId).toBe(attempt.task.id);
  landed(world, attempt);
}

async function judge(
  world: World,
  real: Real,
  { attempt, at }: { attempt: ModelAttempt; at: number },
): Promise<void> {
  const kind = pick(['rejected', 'conflict', 'base_rejected'] as const, at) ?? 'rejected';
  const outcome = await real.store.claims.record(
    { fact: 'rejected', holding: mine(attempt), kind, reasons: ['red'] },
    { actor },
  );
  expect(outcome.ok).toBe(rejected(kind)(world, attempt));
}

/** An intent that a holder left open is confirmed, or given up. */
const settleIntent: Perform = async (world, real, { way }: Choice) => {
  const attempt = world.tasks.flatMap((task) => task.attempts).find(({ landing }) => landing !== null);
  if (attempt === undefined) return;
  if (way % 3 > 0) return confirm(world, real, attempt);
  await real.store.lanes.abandon(attempt.landing ?? '', 'its refs never moved');
  attempt.landing = null;
};

const wantApproval: Perform = async (world, real) => {
  const attempt = await take(world, real);
  if (attempt === undefined) return;
  const fact = {
    fact: 'approval_wanted',
    holding: mine(attempt),
    reason: 'look at it',
    headCommit,
    patchId: 'p',
  } as const;
  expect((await real.store.claims.record(fact, { actor })).ok).toBe(true);
  move(attempt.task, 'PENDING_APPROVAL');
  attempt.fence = ++attempt.task.fence; // the lane's holder gives it up
};

const decide: Perform = async (world, real, { at, way }) => {
  const waiting = await real.store.approvals.list({ runId: world.runId, status: 'waiting' });
  const pending = world.tasks.filter(({ status }) => status === 'PENDING_APPROVAL');
  expect(waiting.map(({ taskId }) => taskId).sort()).toEqual(pending.map(({ id }) => id).sort());
  const approval = pick(waiting, at);
  const task = pending.find(({ id }) => id === approval?.taskId);
  const attempt = task && openAttempt(task);
  if (approval === undefined || task === undefined || attempt === undefined) return;
  const approve = way % 2 === 0;
  await real.store.approvals.decide(approval.id, { ...by, approve, nonce: approval.nonce });
  move(task, 'DONE');
  if (approve) return;
  move(task, 'FAILED');
  task.settled = true;
  endAttempt(attempt, { outcome: 'rejected', counted: true });
  carryOn(world, [task]);
};

/** Commands of the lane and of people who approve. */
export const laneCommands: Commands = {
  land: [10, land],
  settleIntent: [2, settleIntent],
  wantApproval: [1, wantApproval],
  decide: [2, decide],
};
