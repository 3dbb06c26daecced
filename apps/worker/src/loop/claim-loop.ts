import { BatonError, errorText, type ErrorCode } from '@baton/contracts';
import { diskTrouble } from '@baton/spawner';
import { isDatabaseAway, type Claim } from '@baton/task-store';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { release, runBatch, type BatchEnd } from './run-batch.ts';

/** The claim loop of a worker. */
export interface ClaimLoop {
  /** Claims as long as there is room and work; safe to call at any time. */
  fill(): Promise<void>;
  /** How many batches are at work. */
  readonly busy: number;
  /** Settles when no batch is at work. */
  idle(): Promise<void>;
}

/** Keeps up to `capacity` agents at work. Errors of a batch are caught here and nowhere else. */
export function createClaimLoop(ctx: WorkerContext, options: { onDone: (end: BatchEnd) => void }): ClaimLoop {
  const batches = new Set<Promise<void>>();
  let filling: Promise<void> | null = null;
  const start = (claim: Claim): void => {
    const batch = guarded(ctx, claim).then((end) => {
      batches.delete(batch);
      ctx.claims.drop(claim.sessionId);
      options.onDone(end);
    });
    batches.add(batch);
  };
  const fill = async (): Promise<void> => {
    while (!ctx.draining() && batches.size < ctx.capacity) {
      const behind = await ctx.store.lanes.landingBehind(ctx.worker.id);
      if (ctx.runId !== null && behind.includes(ctx.runId)) return;
      const claim = await ctx.claims.take(() =>
        ctx.store.claims.claimBatch({
          workerId: ctx.worker.id,
          maxTasks: 3,
          slots: ctx.capacity - batches.size,
          leaseMs: ctx.timing.leaseMs,
          capabilities: { host: ctx.worker.host, labels: [...ctx.labels] },
          ...(ctx.runId === null ? {} : { runId: ctx.runId }),
          skipTasks: ctx.withdrawals.heldBack(),
          skipRuns: behind,
        }),
      );
      if (claim === null) return;
      start(claim);
    }
  };
  return {
    fill: () => {
      filling ??= fill().finally(() => {
        filling = null;
      });
      return filling;
    },
    get busy() {
      return batches.size;
    },
    async idle() {
      while (batches.size > 0) await Promise.all(batches);
    },
  };
}

/** A batch never takes the worker down: what it still holds is given back, and a bug is logged with its stack. */
async function guarded(ctx: WorkerContext, claim: Claim): Promise<BatchEnd> {
  let end: BatchEnd = { plain: false };
  try {
    end = await runBatch(ctx, claim);
  } catch (cause) {
    await afterError(ctx, { claim, cause }).catch((error: unknown) => {
      ctx.claims.leave(claim.sessionId, reasonOf(ctx, cause));
      ctx.log.warn('its tasks come back when their lease ends', {
        session: claim.sessionId,
        cause: String(error),
      });
    });
  }
  await ctx.store.runs
    .settle(claim.run.id)
    .catch((cause: unknown) => ctx.log.warn('the run is settled later', { cause: String(cause) }));
  return end;
}

function reasonOf({ stateDir }: WorkerContext, cause: unknown): string {
  const full = diskTrouble(stateDir, cause);
  if (full !== null) return errorText(full);
  return BatonError.is(cause) ? `${cause.code}: ${cause.message}` : String(cause);
}

/** What has nothing to do with the tasks, as a database that is away: it costs no try however often it happens. */
const passing: readonly ErrorCode[] = ['MIGRATION_FAILED', 'INTERRUPTED', 'STALE'];
/** Making room takes a while. The next worktree saves what this one holds, or says that there is no room for it. */
const fullPauseMs = 30_000;

/**
 * What goes away by itself, and a full disk, cost no try; everything else does, so that no task is retried endlessly.
 */
async function afterError(
  ctx: WorkerContext,
  { claim, cause }: { claim: Claim; cause: unknown },
): Promise<void> {
  const full = diskTrouble(ctx.stateDir, cause);
  const reason = reasonOf(ctx, cause);
  const stack = cause instanceof Error ? cause.stack : undefined;
  ctx.log.error('a batch ended with an error', { session: claim.sessionId, reason, stack });
  if (full !== null) {
    await release(ctx, { tasks: claim.tasks, reason, pauseMs: fullPauseMs });
  } else if (isDatabaseAway(cause) || (BatonError.is(cause) && passing.includes(cause.code))) {
    await release(ctx, { tasks: claim.tasks, reason, pauseMs: 5_000 });
  } else {
    for (const { attempt } of claim.tasks) {
      const holding = { attemptId: attempt.id, fence: attempt.fence };
      await ctx.store.claims.record(
        { fact: 'agent_failed', holding, reason, outcome: 'crashed' },
        { actor: actorOf(ctx) },
      );
    }
  }
  await ctx.store.claims.record(
    { fact: 'batch_over', sessionId: claim.sessionId, exitCode: null },
    { actor: actorOf(ctx) },
  );
}
