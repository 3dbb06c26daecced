import { hostname } from 'node:os';
import path from 'node:path';
import type { Clock, Exec, Git, Ids, Log } from '@baton/contracts';
import type { PluginBus } from '@baton/plugins';
import {
  createExec,
  createGit,
  createReadingGit,
  orphanSweep,
  ownSpace,
  processStart,
  requireGit,
  type IsolationWish,
  type KeepRules,
  type ReadingGit,
} from '@baton/spawner';
import type { Store } from '@baton/task-store';
import { createClaims } from './context/own-sessions.ts';
import { abort } from './abort/abort-chain.ts';
import { actorOf, defaultTiming, type Timing, type WorkerContext } from './context/context.ts';
import { lookForRoom } from './task/keep-within.ts';
import { landDone } from './landing/landing-loop.ts';
import { createClaimLoop, type ClaimLoop } from './loop/claim-loop.ts';
import { retryingStore } from './context/retrying-store.ts';
import { reportDeadSessions } from './upkeep/orphans.ts';
import { createRepos } from './context/repos.ts';
import { createWithdrawals } from './context/withdrawals.ts';
import { startUpkeep, type Upkeep } from './upkeep/upkeep.ts';
import { createGateMemory } from './context/gate-memory.ts';
import { createSharedClock } from './context/shared-clock.ts';
import { createRecent } from './context/recent.ts';
import { createIdleMeter, type IdleMeter } from './context/idle-processors.ts';

/** What a worker needs to be made. */
export interface WorkerOptions {
  store: Store;
  /** Folder for clones, worktrees and logs. */
  stateDir: string;
  host?: string;
  name?: string;
  /** Agents at work at once. */
  capacity: number;
  labels?: string[];
  /** Only this run's tasks. */
  runId?: string;
  operatorEnv: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  ids: Ids;
  log: Log;
  plugins?: PluginBus;
  timing?: Partial<Timing>;
  /** How long what is over is kept in the state folder; nothing is removed when left out. */
  keep?: KeepRules;
  version?: string;
  /** How commands of a verification are kept apart; default `auto`. */
  isolation?: IsolationWish;
  /** Counts the processors that do nothing; those of this machine when left out. */
  idleProcessors?: IdleMeter;
}

/** One worker: claims, runs, verifies, lands and keeps the store tidy, until it is drained or stopped. */
export interface Worker {
  readonly id: string;
  start(): Promise<void>;
  /**
   * Settles when somebody drained it in the store (null), or when nothing of its run can move any more (why): the
   * caller then drains it here. Nothing more is claimed from then on.
   */
  readonly asked: Promise<string | null>;
  /**
   * Claims nothing more (the store knows at once), lets agents finish until the deadline, then stops them; lands what is done
   * by then, as far as the deadline lets it, and leaves the rest to others.
   */
  drain(options: { deadlineMs: number }): Promise<void>;
  /** Ends agents at once, in a drain as well; their work is salvaged and their tasks are given back. */
  stop(): Promise<void>;
  /** Tasks that were given back because it ended, as `run/key`. */
  left(): string[];
}

/** Makes a worker. @throws GIT_MISSING, GIT_TOO_OLD (at `start`) */
export function createWorker(options: WorkerOptions): Worker {
  const exec = createExec({ clock: options.clock });
  const env = options.operatorEnv;
  const reading = createReadingGit({ git: createGit({ exec, env }), env, stateDir: options.stateDir });
  const { git } = reading;
  let draining = false;
  const asked = Promise.withResolvers<string | null>();
  const stopping = new AbortController();
  const ctx = makeContext(options, {
    ...{ exec, git, stopping: stopping.signal, draining: () => draining },
    onDrain: (why) => {
      draining = true;
      asked.resolve(why);
    },
  });
  let upkeep: Upkeep | undefined;
  const loop = createClaimLoop(ctx, { onDone: (end) => upkeep?.wake(end) });
  const set: SetStatus = (status, reason) =>
    options.store.workers.setStatus(ctx.worker.id, status, { actor: actorOf(ctx), reason });
  let starting: Promise<void> | undefined;
  const begin = async (): Promise<void> => {
    await requireGit(git);
    await orphanSweep({ stateDir: ctx.stateDir });
    await register(ctx, options);
    await lookForRoom(ctx);
    upkeep = startUpkeep(ctx, { claim: () => loop.fill(), land: (onChange) => landDone(ctx, onChange) });
  };
  let ending: Promise<void> | undefined;
  const finish = (): Promise<void> =>
    (ending ??= endAfter(starting, () => endWorker(ctx, { loop, reading, set, upkeep: () => upkeep })));
  const stopNow = (): void => {
    stopping.abort();
    stopSessions(ctx);
  };
  return {
    id: ctx.worker.id,
    asked: asked.promise,
    start: () => (starting = begin()),
    async drain({ deadlineMs }) {
      draining = true;
      // First of all: from here on the store does not list this worker as one that takes work.
      if (upkeep !== undefined) await tellDrain(ctx, set);
      const timer = setTimeout(stopNow, deadlineMs);
      await finish();
      clearTimeout(timer);
    },
    async stop() {
      draining = true;
      stopNow();
      const again = setInterval(() => stopSessions(ctx), 200);
      await finish();
      clearInterval(again);
    },
    left: () => [...ctx.left],
  };
}

type SetStatus = (status: 'draining' | 'offline', reason: string) => Promise<void>;

async function tellDrain(ctx: WorkerContext, set: SetStatus): Promise<void> {
  await set('draining', 'it was asked to stop').catch((cause: unknown) =>
    ctx.log.warn('the store does not know that this worker drains', { cause: String(cause) }),
  );
}

/** What is still starting is over first, however it ends. */
async function endAfter(starting: Promise<void> | undefined, end: () => Promise<void>): Promise<void> {
  await starting?.catch(() => undefined);
  await end();
}

/** Ends every agent that is at work. */
function stopSessions(ctx: WorkerContext): void {
  for (const { sessionId } of [...ctx.sessions.values()])
    abort(ctx, { scope: 'SESSION', sessionId, reason: 'shutdown_signal' });
}

/** Waits for the agents at work, lands what they finished, and closes what the worker holds. */
async function endWorker(
  ctx: WorkerContext,
  {
    loop,
    reading,
    set,
    upkeep,
  }: { loop: ClaimLoop; reading: ReadingGit; set: SetStatus; upkeep: () => Upkeep | undefined },
): Promise<void> {
  await loop.idle();
  // A lane that the upkeep is on would be taken from it here, in the middle of a landing.
  await upkeep()?.stopLanding();
  await landLast(ctx);
  await upkeep()?.stop();
  await ctx.repos.close();
  reading.close();
  await endLeftSessions(ctx);
  await set('offline', 'it ended');
}

/** What the last agents finished is landed before the worker ends; what cannot be is left to others. */
async function landLast(ctx: WorkerContext): Promise<void> {
  if (ctx.stopping.aborted) return;
  ctx.failedLanes.clear();
  await landDone(ctx, () => undefined).catch((cause: unknown) =>
    ctx.log.warn('finished work is left for another worker', { cause: String(cause) }),
  );
}

/** Nothing is at work here any more: a session that still counts as ours is one whose end was not heard. */
async function endLeftSessions(ctx: WorkerContext): Promise<void> {
  await reportDeadSessions(ctx).catch((cause: unknown) =>
    ctx.log.warn('sessions that are left end with their leases', { cause: String(cause) }),
  );
}

function makeContext(
  options: WorkerOptions,
  given: { exec: Exec; git: Git } & Pick<WorkerContext, 'stopping' | 'draining' | 'onDrain'>,
): WorkerContext {
  const { exec, git, stopping } = given;
  const { log, stateDir, operatorEnv } = options;
  const clock = createSharedClock(options.clock, log);
  const timing = { ...defaultTiming, ...options.timing };
  const store = retryingStore(options.store, { clock, log, patienceMs: timing.leaseMs, stopping });
  const id = options.ids.uuid();
  const host = options.host ?? hostname();
  const tellWithdrawn = (): void =>
    void store.workers
      .setWithdrawn(id, ctx.withdrawals.list())
      .catch((cause: unknown) => log.warn('what is withdrawn is not known yet', { cause: String(cause) }));
  const ctx: WorkerContext = {
    store,
    ...{ clock, setClock: clock.setBy },
    ids: options.ids,
    log,
    repos: createRepos({
      ...{ git, exec, clock, log, stateDir, operatorEnv },
      isolation: options.isolation ?? 'auto',
    }),
    plugins: options.plugins ?? null,
    timing,
    stateDir,
    storeId: store.storeId,
    logsDir: path.join(stateDir, 'logs'),
    operatorEnv,
    worker: {
      id,
      name: options.name ?? `${host}-${process.pid}`,
      host,
      pid: process.pid,
      pidStarted: processStart(process.pid) ?? '',
    },
    capacity: options.capacity,
    labels: options.labels ?? [],
    runId: options.runId ?? null,
    withdrawals: createWithdrawals({ clock, pauseMs: timing.withdrawnMs, onChange: () => tellWithdrawn() }),
    claims: createClaims(),
    ...{ unmade: new Map(), tidiedLanes: new Set() },
    ...{ failedLanes: new Map(), trainLengths: new Map(), trainVerdicts: new Map() },
    ...{ coverage: new Map(), testCounts: new Map() },
    gateMemory: createGateMemory(),
    recent: createRecent({ pastDurations: store.trust.pastDurations, clock, env: operatorEnv }),
    idleProcessors: options.idleProcessors ?? createIdleMeter(),
    cutMoves: new Set(),
    landingRefs: { mayBeLeft: true },
    ...{ live: new Map(), sessions: new Map(), left: [] },
    ...given,
    keep: options.keep ?? null,
    room: { full: null },
  };
  return ctx;
}

async function register(ctx: WorkerContext, options: WorkerOptions): Promise<void> {
  const { heartbeatAt } = await ctx.store.workers.register({
    id: ctx.worker.id,
    name: ctx.worker.name,
    host: ctx.worker.host,
    pid: ctx.worker.pid,
    pidStarted: ctx.worker.pidStarted,
    bootId: ownSpace(),
    capacity: ctx.capacity,
    labels: [...ctx.labels],
    version: options.version ?? '0.0.0',
    runId: ctx.runId,
  });
  ctx.setClock(heartbeatAt);
}
