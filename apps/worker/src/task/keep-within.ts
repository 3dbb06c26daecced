import type { Retention } from '@baton/contracts';
import { tidyState, type KeepRules, type KnownRun, type Tidied, type TidyOptions } from '@baton/spawner';
import type { Page, Run, StorePart } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';

/** Above the limit it is looked again this soon: room may come free. */
const soonMs = 60_000;

/** What `baton.yaml` says of the state folder, as rules. */
export function keepRules({ attempts, salvage, worktrees, disk }: Retention): KeepRules {
  const ms = (kept: number | 'never'): number | null => (kept === 'never' ? null : kept);
  return {
    attemptsMs: ms(attempts),
    salvageMs: ms(salvage),
    worktreesMs: ms(worktrees),
    maxBytes: disk ?? null,
  };
}

/**
 * One round over a state folder: what has outlived its retention, and whose task is settled in a run that is over, is recorded and removed.
 *
 * @throws GIT_FAILED
 */
export function keepState(
  store: StorePart<{ tasks: 'get' | 'attempts'; runs: 'get' | 'list' }>,
  options: Omit<TidyOptions, 'endOf' | 'runsOf'>,
): Promise<Tidied> {
  return tidyState({
    ...options,
    endOf: (attempt) => endOf(store, attempt),
    runsOf: (repoId) => runsOf(store, repoId),
  });
}

/** How often a worker asks itself whether a round is due, in ms: hourly ones would find late that room has come free. */
export const keepTickMs = ({ timing }: WorkerContext): number => Math.min(timing.keepMs, soonMs);

/** Makes the rounds of a worker: one when it starts and each `keepMs`, and each minute while there is no room. */
export function createKeeper(ctx: WorkerContext): () => Promise<void> {
  let lastMs: number | null = null;
  return async () => {
    const nowMs = ctx.clock.monotonicMs();
    if (lastMs !== null && ctx.room.full === null && nowMs - lastMs < ctx.timing.keepMs) return;
    lastMs = nowMs;
    await keepWithin(ctx);
  };
}

/**
 * What a worker does before its first claim: it finds out whether there is room, and lets go what waits for that. A limit is measured
 * again where another process found too little room: somebody may have raised it, or made room, and started again.
 */
export async function lookForRoom(ctx: WorkerContext): Promise<void> {
  // Without a limit the start waits for no round.
  if (typeof ctx.keep?.maxBytes === 'number') await keepWithin(ctx, { fullWithinMs: 0 });
  await tellRoom(ctx);
}

/** One round of the worker's own; it notes whether there is room for new work. */
async function keepWithin(ctx: WorkerContext, options: { fullWithinMs?: number } = {}): Promise<void> {
  const { keep: rules } = ctx;
  if (rules === null) return;
  const { git, exec, clock, ids, stateDir, logsDir, timing } = ctx;
  const notWithinMs = rules.maxBytes === null ? timing.keepMs : Math.min(timing.keepMs, soonMs);
  const round = { git, exec, clock, ids, stateDir, logsDir, rules, notWithinMs, ...options };
  const tidied = await keepState(ctx.store, round);
  if (tidied.full !== null && ctx.room.full === null)
    ctx.log.warn('no new work starts: the state folder is full', { reason: tidied.full });
  const hasRoomAgain = tidied.full === null && ctx.room.full !== null;
  ctx.room.full = tidied.full;
  if (hasRoomAgain) await tellRoom(ctx);
  if (tidied.acts.length > 0)
    ctx.log.info('what outlived its retention was removed', { acts: tidied.acts.length });
}

/** Lets go what was given back for want of room, here or by a worker that has ended; nothing while there is none. */
async function tellRoom(ctx: WorkerContext): Promise<void> {
  if (ctx.room.full !== null) return;
  await ctx.store.claims.roomFound({ host: ctx.worker.host, runId: ctx.runId });
}

/** Runs that may still need what their tasks left. */
const alive: readonly string[] = ['running', 'paused', 'waiting', 'stuck'];

async function endOf(
  store: StorePart<{ tasks: 'get' | 'attempts'; runs: 'get' }>,
  { taskId }: { taskId: string },
): Promise<Date | null> {
  const task = await store.tasks.get(taskId);
  if (task?.settled !== true) return null;
  const run = await store.runs.get(task.runId);
  if (run === null || alive.includes(run.status)) return null;
  // Its fence has grown since the ref was named, so the task's last attempt decides for all of them.
  const ends = (await store.tasks.attempts(taskId)).map(({ endedAt }) => endedAt?.getTime() ?? Number.NaN);
  const last = Math.max(...ends);
  return Number.isFinite(last) ? new Date(last) : null;
}

/** More runs of one repository are not looked through: what was fetched for them stays. */
const maxRuns = 10_000;

async function runsOf(store: StorePart<{ runs: 'list' }>, repoId: string): Promise<KnownRun[]> {
  const runs: KnownRun[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Run> = await store.runs.list({
      repoId,
      limit: 100,
      ...(cursor === null ? {} : { cursor }),
    });
    runs.push(...page.items.map(needsOf));
    cursor = page.nextCursor;
  } while (cursor !== null && runs.length < maxRuns);
  return cursor === null ? runs : [];
}

function needsOf({ target, baseCommit, status, finishedAt }: Run): KnownRun {
  const sources = [`refs/heads/${target}`, ...(baseCommit === null ? [] : [baseCommit])];
  return { sources, ended: alive.includes(status) ? null : finishedAt };
}
