import { BatonError } from '@baton/contracts';
import type { Db } from '../db/query.ts';
import type { Taken } from './claim.sql.ts';
import type { Attempt, Claim, Task } from '../model/task.ts';
import type { LoadedSituation } from '../decide/loaded-situation.ts';

/** The claim as its holder gets it. What was read with it is kept, so that the next facts need not read it again. */
export function claimOf(
  db: Db,
  given: { taken: Taken; attempt: { search: { workerId: string }; sessionId: string; attemptIds: string[] } },
): Claim {
  const { taken, attempt } = given;
  const { sessionId, attemptIds } = attempt;
  const runId = taken.tasks[0]?.task.runId ?? '';
  if (taken.run !== null) db.runs.keep(taken.run);
  const known = db.runs.get(runId);
  if (known === undefined)
    throw new BatonError(
      'NOT_FOUND',
      `The claim refers to run ${runId}, but the database did not return that run.`,
      {
        fix: 'Report this: a claim always brings its run.',
      },
    );
  const { budget_micro_usd, spent_micro_usd, reserved_micro_usd } = taken.money ?? {
    budget_micro_usd: known.run.budgetMicroUsd,
    spent_micro_usd: known.run.spentMicroUsd,
    reserved_micro_usd: known.run.reservedMicroUsd,
  };
  const claim: Claim = {
    sessionId,
    run: {
      ...known.run,
      budgetMicroUsd: budget_micro_usd,
      spentMicroUsd: spent_micro_usd,
      reservedMicroUsd: reserved_micro_usd,
    },
    repo: known.repo,
    tasks: taken.tasks.map(({ task, number, fence, earlier, predecessors }, at) => ({
      task,
      attempt: freshAttempt(taken, {
        task,
        number,
        fence,
        sessionId,
        id: attemptIds[at] ?? '',
        workerId: attempt.search.workerId,
      }),
      continueFrom: task.continueFrom,
      rejections: earlier?.rejections ?? [],
      salvageRef: earlier?.salvageRef ?? null,
      predecessors: predecessors ?? [],
    })),
    leaseExpiresAt: taken.expires,
  };
  db.snapshots.keep(situationsOf(claim, taken.now));
  return claim;
}

function freshAttempt(
  taken: Taken,
  given: {
    task: Task;
    number: number;
    fence: number;
    sessionId: string;
    id: string;
    workerId: string;
  },
): Attempt {
  const { task, number, fence, sessionId, id, workerId } = given;
  return {
    id,
    taskId: task.id,
    runId: task.runId,
    sessionId,
    number,
    fence,
    workerId,
    counted: false,
    leaseExpiresAt: taken.expires,
    turnStatus: 'CLAIMING',
    turnSeq: 1,
    baseCommit: null,
    startCommit: null,
    headCommit: null,
    headPlace: null,
    summary: null,
    outcome: null,
    abortReason: null,
    rejections: [],
    salvageRef: null,
    review: null,
    route: null,
    inputTokens: 0,
    outputTokens: 0,
    costMicroUsd: 0,
    costEstimated: false,
    meter: 'none',
    unmeasuredMicroUsd: 0,
    unmeasuredReason: null,
    createdAt: taken.now,
    endedAt: null,
  };
}

/** The situation of the machines that the facts of a claim will move. */
export function situationsOf(claim: Claim, now: Date): LoadedSituation {
  return {
    now,
    session: {
      id: claim.sessionId,
      runId: claim.run.id,
      status: null,
      statusSeq: -1,
      executionState: 'pending',
      executionSeq: 0,
      currentAttemptId: null,
    },
    items: claim.tasks.map(({ task, attempt }, at) => ({
      task: {
        id: task.id,
        runId: task.runId,
        parentId: task.parentId,
        status: task.status,
        version: task.version,
        fence: attempt.fence,
        tries: task.tries,
        grantedTries: 0,
        maxRetries: task.maxRetries,
        conflicts: task.conflicts,
        setbacks: 0,
        cancelRequested: task.cancelRequested,
        unpaidTries: 0,
        lineage: null,
      },
      attempt: {
        id: attempt.id,
        taskId: task.id,
        fence: attempt.fence,
        place: at + 1,
        turnStatus: attempt.turnStatus,
        turnSeq: attempt.turnSeq,
        openTools: 0,
        startCommit: null,
        headCommit: null,
        orphanCounts: false,
      },
    })),
    others: [],
  };
}
