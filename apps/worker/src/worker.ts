import { hostname } from 'node:os';
import path from 'node:path';
import type { Clock, Exec, Git, Ids, Log } from '@baton/contracts';
import type { PluginBus } from '@baton/plugins';
import { loadCatalog } from '@baton/router-cost';
import {
  createExec,
  createGit,
  createReadingGit,
  orphanSweep,
  processStart,
  requireGit,
  type IsolationWish,
} from '@baton/spawner';
import type { Store } from '@baton/task-store';
import { createClaims } from './claims.ts';
import { abort } from './abort-chain.ts';
import { defaultTiming, type Timing, type WorkerContext } from './context.ts';
import { landDone } from './landing-loop.ts';
import { createClaimLoop } from './loop.ts';
import { patientStore } from './patient-store.ts';
import { reportDeadSessions } from './orphans.ts';
import { createRepos } from './repos.ts';
import { startUpkeep, type Upkeep } from './upkeep.ts';

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
  version?: string;
  /** How commands of a verification are kept apart; default `auto`. */
  isolation?: IsolationWish;
}

/** One worker: claims, runs, verifies, lands and keeps the store tidy, until it is drained or stopped. */
export interface Worker {
  readonly id: string;
  start(): Promise<void>;
  /** Claims nothing more, lets agents finish until the deadline, then stops them. */
  drain(options: { deadlineMs: number }): Promise<void>;
  /** Ends agents at once; their work is salvaged and their tasks are given back. */
  stop(): Promise<void>;
}

/** Makes a worker. @throws GIT_MISSING, GIT_TOO_OLD (at `start`) */
export function createWorker(options: WorkerOptions): Worker {
  const exec = createExec({ clock: options.clock });
  const env = options.operatorEnv;
  const reading = createReadingGit({ git: createGit({ exec, env }), env });
  const { git } = reading;
  let draining = false;
  const stopping = new AbortController();
  const ctx = makeContext(options, { exec, git, stopping: stopping.signal, draining: () => draining });
  let upkeep: Upkeep | undefined;
  const loop = createClaimLoop(ctx, { onDone: () => upkeep?.poke() });
  const finish = async (): Promise<void> => {
    await loop.idle();
    await upkeep?.stop();
    await ctx.repos.close();
    reading.close();
    await endLeftSessions(ctx);
    await options.store.setWorkerStatus(ctx.worker.id, 'offline', {
      actor: `worker:${ctx.worker.name}`,
      reason: 'it ended',
    });
  };
  const stopAll = (): void => {
    for (const { sessionId } of [...ctx.sessions.values()])
      abort(ctx, { scope: 'SESSION', sessionId, reason: 'shutdown_signal' });
  };
  return {
    id: ctx.worker.id,
    async start() {
      await requireGit(git);
      await orphanSweep({ stateDir: ctx.stateDir });
      await register(ctx, options);
      upkeep = startUpkeep(ctx, { claim: () => loop.fill(), land: () => landDone(ctx) });
    },
    async drain({ deadlineMs }) {
      draining = true;
      const timer = setTimeout(() => stopAll(), deadlineMs);
      await finish();
      clearTimeout(timer);
    },
    async stop() {
      draining = true;
      stopping.abort();
      stopAll();
      const again = setInterval(() => stopAll(), 200);
      await finish();
      clearInterval(again);
    },
  };
}

/** Nothing is at work here any more: a session that still counts as ours is one whose end was not heard. */
async function endLeftSessions(ctx: WorkerContext): Promise<void> {
  await reportDeadSessions(ctx).catch((cause: unknown) =>
    ctx.log.warn('sessions that are left end with their leases', { cause: String(cause) }),
  );
}

function makeContext(
  options: WorkerOptions,
  { exec, git, stopping, draining }: { exec: Exec; git: Git; stopping: AbortSignal; draining: () => boolean },
): WorkerContext {
  const { clock, log, stateDir, operatorEnv } = options;
  const timing = { ...defaultTiming, ...options.timing };
  const store = patientStore(options.store, { clock, log, patienceMs: timing.leaseMs, stopping });
  const id = options.ids.uuid();
  const host = options.host ?? hostname();
  return {
    store,
    exec,
    git,
    clock,
    ids: options.ids,
    log,
    catalog: loadCatalog(),
    repos: createRepos({
      git,
      exec,
      clock,
      log,
      stateDir,
      operatorEnv,
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
    claims: createClaims(),
    tidiedLanes: new Set(),
    live: new Map(),
    sessions: new Map(),
    stopping,
    draining,
  };
}

async function register(ctx: WorkerContext, options: WorkerOptions): Promise<void> {
  await ctx.store.registerWorker({
    id: ctx.worker.id,
    name: ctx.worker.name,
    host: ctx.worker.host,
    pid: ctx.worker.pid,
    pidStarted: ctx.worker.pidStarted,
    bootId: ctx.worker.pidStarted,
    capacity: ctx.capacity,
    labels: [...ctx.labels],
    version: options.version ?? '0.0.0',
    runId: ctx.runId,
  });
}
