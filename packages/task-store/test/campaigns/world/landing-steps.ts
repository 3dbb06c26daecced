import type { Step } from '@baton/testkit';
import type { Fact } from '../../../src/model/fact.ts';
import { landingChange } from '../../../src/decide/landing-changes.ts';
import { RefusedByDatabase } from './guards.ts';
import { releaseLane, withJob } from './jobs.ts';
import { byId, now, planOf, type Job, type Worker, type World } from './rows.ts';
import {
  acquireLane,
  heldByLane,
  itemOf,
  rejectedBefore,
  takeForLanding,
  writeIntents,
} from './lane-selects.ts';
import { wordProblems } from './recorded.ts';
import { send } from './send.ts';
import { apply } from './statements.ts';

type LaneJob = Extract<Job, { kind: 'lane' }>;

/** A worker without a job takes the lane, when there is something to land. */
export function takesLane(world: World, worker: Worker): Step<World>[] {
  const taken = acquireLane(world, worker.id);
  if (taken === null) return [];
  const job: LaneJob = {
    kind: 'lane',
    epoch: taken.lane.epoch,
    phase: 'held',
    holding: null,
    mates: [],
    landingId: null,
    intents: [],
  };
  const { workerId, lease } = world.lane;
  const isHeld = workerId !== null && workerId !== worker.id && lease === 'live';
  const broken = isHeld ? [`the lane is taken from ${workerId}, whose lease is live`] : [];
  return [{ name: `${worker.id}: takes the lane`, next: withJob(taken, worker.id, job), broken }];
}

/** One step of landing-loop and land-task. */
export function laneSteps(world: World, worker: Worker, job: LaneJob): Step<World>[] {
  const step = (name: string, next: World, broken: readonly string[] = []): Step<World> => ({
    name: `${worker.id}: ${name}`,
    next,
    broken,
  });
  const to = (after: World, patch: Partial<LaneJob>) => withJob(after, worker.id, { ...job, ...patch });
  switch (job.phase) {
    case 'held': {
      // The lane's ref in the target's repository: moved only forward, by compare-and-set.
      if (world.git.laneEpoch >= job.epoch)
        return [step('finds a newer epoch on the lane ref', releaseLane(world, worker))];
      const intents = world.landings.map(({ id }) => id);
      const opened = { ...world, git: { ...world.git, laneEpoch: job.epoch } };
      return [step('opens the lane ref', to(opened, { phase: 'opened', intents }))];
    }
    case 'opened': {
      const [intent, ...intents] = job.intents;
      if (intent !== undefined) {
        if (!world.git.moved.includes(intent))
          return [step('abandons an intent', to(abandoned(world, intent), { intents }))];
        const { world: next, broken } = confirm(world, intent);
        return [step('confirms what an earlier holder landed', to(next, { intents }), broken)];
      }
      const taken = takeForLanding(world, { epoch: job.epoch, besides: [] });
      const [holding = null] = taken?.holdings ?? [];
      if (taken === null || holding === null) return [step('lets the lane go', releaseLane(world, worker))];
      return [step(`takes ${holding.taskId} to land`, to(taken.world, { phase: 'took', holding }))];
    }
    case 'took':
      if (job.mates.length > 0)
        return [
          ...joins(world, { worker, job }),
          ...intendsAll(world, { worker, job }),
          step('finds them red together', to(world, { mates: [] })),
        ];
      return [
        ...joins(world, { worker, job }),
        ...verdicts(world, worker, job),
        ...intends(world, { worker, job }),
      ];
    case 'intended': {
      if (job.mates.length > 0) return movesAll(world, { worker, job });
      const id = job.landingId ?? '';
      const taskId = job.holding?.taskId ?? '';
      if (world.git.laneEpoch !== job.epoch)
        return [step('is refused by the lane ref', releaseLane(abandoned(world, id), worker))];
      const effects = { ...world.git.effects, [taskId]: (world.git.effects[taskId] ?? 0) + 1 };
      const moved = { ...world, git: { ...world.git, moved: [...world.git.moved, id], effects } };
      return [
        step(`moves the target to ${taskId}`, to(moved, { phase: 'moved' })),
        step('loses the race for the target', to(abandoned(world, id), { phase: 'took', landingId: null })),
      ];
    }
    case 'moved': {
      const { world: next, broken } = confirm(world, job.landingId ?? '');
      return [
        step('confirms the landing', to(next, { phase: 'opened', holding: null, landingId: null }), broken),
      ];
    }
    default:
      return job.phase satisfies never;
  }
}

/** `abandon-intent` */
function abandoned(world: World, id: string): World {
  return { ...world, landings: world.landings.filter((row) => row.id !== id) };
}

/** `confirmLanding`: repeating it changes nothing. */
function confirm(world: World, landingId: string): { world: World; broken: string[] } {
  const landing = byId(world.landings, landingId);
  const item = landing === undefined ? null : itemOf(world, landing.taskId);
  if (landing === undefined) return { world, broken: [] };
  const change = item === null ? null : landingChange(item, { now, landingId, actor: 'janitor' });
  if (change === null) return { world, broken: [`what landed of ${landing.taskId} cannot be confirmed`] };
  try {
    const applied = apply(world, change);
    return applied.ok
      ? { world: applied.world, broken: wordProblems(change) }
      : { world, broken: [`a landing is decided on what stands there, and refused: ${applied.why}`] };
  } catch (error) {
    if (!(error instanceof RefusedByDatabase)) throw error;
    return { world, broken: [`the database refuses a landing: ${error.message}`] };
  }
}

function verdicts(world: World, worker: Worker, job: LaneJob): Step<World>[] {
  const { holding: held } = job;
  if (held === null) return [];
  const holding = { attemptId: held.attemptId, fence: held.fence };
  const before = rejectedBefore(world, held.attemptId);
  const { may } = planOf(world, held.taskId);
  const tell = (kind: Extract<Fact, { fact: 'rejected' }>['kind']) =>
    send(world, worker, {
      fact: { fact: 'rejected', holding, kind, reasons: ['r'] },
      name: `${kind} ${held.taskId}`,
    });
  if (before === 'depended') return tell('base_rejected');
  return [
    ...(may.includes('reject') ? tell(before === 'other' ? 'base_rejected' : 'rejected') : []),
    ...(may.includes('conflict') && before === null ? tell('conflict') : []),
  ];
}

function intends(world: World, { worker, job }: { worker: Worker; job: LaneJob }): Step<World>[] {
  const { holding: held } = job;
  if (held === null || rejectedBefore(world, held.attemptId) === 'depended') return [];
  const holding = { attemptId: held.attemptId, fence: held.fence };
  const approved = world.approvals.some(
    ({ attemptId, status }) => attemptId === held.attemptId && status === 'approved',
  );
  if (planOf(world, held.taskId).approval === true && !approved) {
    const fact = { fact: 'approval_wanted', holding, reason: 'r', headCommit: 'h', patchId: 'p' } as const;
    return send(world, worker, { fact, name: `wants approval of ${held.taskId}` });
  }
  const written = writeIntents(world, { epoch: job.epoch, holdings: [holding] });
  if (written === null)
    return [{ name: `${worker.id}: may not land any more`, next: releaseLane(world, worker) }];
  const [landingId = null] = written.ids;
  const next = withJob(written.world, worker.id, { ...job, phase: 'intended', landingId });
  const broken = lostProblems(world, { job, holdings: [held] });
  return [{ name: `${worker.id}: passes ${held.taskId} and writes the intent`, next, broken }];
}

type OfLane = { worker: Worker; job: LaneJob };

/** `takeNext`: takes one more that waits, where nobody has to be asked about it. */
function joins(world: World, { worker, job }: OfLane): Step<World>[] {
  const held = heldByLane(job);
  const needsNobody = ({ taskId }: { taskId: string }) => planOf(world, taskId).approval !== true;
  if (!world.size.trains || !held.every(needsNobody)) return [];
  const besides = held.map(({ taskId }) => taskId);
  const taken = takeForLanding(world, { epoch: job.epoch, besides });
  const [mate] = taken?.holdings ?? [];
  if (taken === null || mate === undefined || !needsNobody(mate)) return [];
  const next = withJob(taken.world, worker.id, { ...job, mates: [...job.mates, mate] });
  return [{ name: `${worker.id}: takes ${mate.taskId} to land with it`, next, broken: [] }];
}

function intendsAll(world: World, { worker, job }: OfLane): Step<World>[] {
  const holdings = heldByLane(job);
  const written = writeIntents(world, { epoch: job.epoch, holdings });
  if (written === null)
    return [{ name: `${worker.id}: may not land all of them`, next: releaseLane(world, worker) }];
  const next = withJob(written.world, worker.id, { ...job, phase: 'intended', intents: written.ids });
  const broken = lostProblems(world, { job, holdings });
  return [{ name: `${worker.id}: passes a train and writes its intents`, next, broken }];
}

/** The refs move to the last of a train, or not; its intents are then settled one by one, as those of an earlier holder are. */
function movesAll(world: World, { worker, job }: OfLane): Step<World>[] {
  const settles = (after: World) =>
    withJob(after, worker.id, { ...job, phase: 'opened', holding: null, mates: [] });
  if (world.git.laneEpoch !== job.epoch)
    return [{ name: `${worker.id}: a train is refused by the lane ref`, next: settles(world), broken: [] }];
  const effects = { ...world.git.effects };
  for (const { taskId } of heldByLane(job)) effects[taskId] = (effects[taskId] ?? 0) + 1;
  const git = { ...world.git, moved: [...world.git.moved, ...job.intents], effects };
  return [
    {
      name: `${worker.id}: moves the target to the end of a train`,
      next: settles({ ...world, git }),
      broken: [],
    },
    { name: `${worker.id}: a train loses the race for the target`, next: settles(world), broken: [] },
  ];
}

function lostProblems(
  world: World,
  { job, holdings }: { job: LaneJob; holdings: readonly { attemptId: string; fence: number }[] },
): string[] {
  const isLost = holdings.some(({ attemptId, fence }) => {
    const row = byId(world.attempts, attemptId);
    return row?.fence !== fence || row.ended;
  });
  return isLost || world.lane.epoch !== job.epoch
    ? ['an intent to land is written under a lost fence or epoch']
    : [];
}
