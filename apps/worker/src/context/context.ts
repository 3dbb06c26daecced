import type { Clock, Exec, Git, Ids, Log } from '@baton/contracts';
import type { Coverage, TestCount } from '@baton/janitor';
import type { PluginBus } from '@baton/plugins';
import type { KeepRules } from '@baton/spawner';
import type { Store } from '@baton/task-store';
import type { Claims } from './own-sessions.ts';
import type { LiveSession } from './live-session.ts';
import type { Repos } from './repos.ts';
import type { Withdrawals } from './withdrawals.ts';
import type { StopReason } from './stop-reason.ts';
import type { GateMemory } from './gate-memory.ts';
import type { HeadFigures } from './head-figures.ts';
import type { Recent } from './recent.ts';
import type { IdleMeter } from './idle-processors.ts';

/** How long leases last and how often upkeep runs; all in milliseconds. Defaults are those of the store's rules. */
export interface Timing {
  leaseMs: number;
  renewMs: number;
  sweepMs: number;
  heartbeatMs: number;
  pollMs: number;
  /** A tool call that takes longer is stopped, alone where the agent can. */
  toolMs: number;
  /** How long finished work waits for somebody who can read its head before it is tried again. */
  headWaitMs: number;
  /** How often a pull request is looked at. */
  requestMs: number;
  /** How often it is looked for what has outlived its retention. */
  keepMs: number;
  /** How often work in progress is probed for conflicts, at most. */
  probeMs: number;
  /** How long an agent that could not be started is left alone at first. */
  withdrawnMs: number;
}

/** Lease 120 s, renewed every 20 s, swept every 10 s (docs/spec/store.md#leases). */
export const defaultTiming: Timing = {
  leaseMs: 120_000,
  renewMs: 20_000,
  sweepMs: 10_000,
  heartbeatMs: 10_000,
  pollMs: 1_000,
  toolMs: 1_800_000,
  headWaitMs: 600_000,
  requestMs: 30_000,
  keepMs: 3_600_000,
  probeMs: 5_000,
  withdrawnMs: 30_000,
};

/** What every stage of the worker works with; made once, at the start. */
export interface WorkerContext {
  store: Store;
  exec: Exec;
  git: Git;
  /** Shows the time of the database. */
  clock: Clock;
  /** Sets it by a time that the database just gave. */
  setClock: (databaseTime: Date) => void;
  ids: Ids;
  log: Log;
  repos: Repos;
  plugins: PluginBus | null;
  timing: Timing;
  stateDir: string;
  /** Distinguishes this store's lanes from those of another store on the same repository. */
  storeId: string;
  logsDir: string;
  /** The operator's environment: agents and gates get an allow-listed part of it. */
  operatorEnv: Readonly<Record<string, string | undefined>>;
  worker: { id: string; name: string; host: string; pid: number; pidStarted: string };
  capacity: number;
  labels: readonly string[];
  runId: string | null;
  /** Agents that cannot be started here, and the tasks that wait for them. */
  withdrawals: Withdrawals;
  /** How often in a row no worktree could be made for a run, by its id. */
  unmade: Map<string, number>;
  /** Sessions that this process claimed. */
  claims: Claims;
  /** Lanes, by id, that were cleared of an earlier process's landing refs. */
  tidiedLanes: Set<string>;
  /** Lanes, by repository and target, on which landing failed: why, how often in a row, and when it is tried again, in ms. */
  failedLanes: Map<string, { text: string; times: number; againAt: number }>;
  /** Most tasks that land as one on a lane, by its id: fewer after a red; absent: as many as may at all. */
  trainLengths: Map<string, number>;
  /** Verdicts of the newest train of each run: the tree and questions that they are about, and their ids by attempt. */
  trainVerdicts: Map<string, { key: string; ids: Map<string, string> }>;
  /** Commands that passed on a tree while this process runs. */
  gateMemory: GateMemory;
  /** Answers that may be some seconds old. */
  recent: Recent;
  /** Processors of this machine that do nothing. */
  idleProcessors: IdleMeter;
  /** Covered lines of trees. */
  coverage: HeadFigures<Coverage>;
  /** Tests that passed on trees. */
  testCounts: HeadFigures<TestCount>;
  /** Landings of this process, by id, whose git did not come to its end by itself: the locks that their intents list may be left. */
  cutMoves: Set<string>;
  /** Whether refs of landings may lie about: of a process before this one, or of a landing that was broken off. */
  landingRefs: { mayBeLeft: boolean };
  /** Attempts at work here, by id: how to stop them. */
  live: Map<string, (reason: StopReason) => void>;
  /** Sessions at work here: whom an abort can reach. */
  sessions: Map<string, LiveSession>;
  /** Aborted when the worker stops at once: verification under way is given up and done again by the next holder. */
  stopping: AbortSignal;
  /** How long what is over is kept; null: not configured, so nothing is removed. */
  keep: KeepRules | null;
  /** Why no new work may start here for want of room; null: it may. */
  room: { full: string | null };
  /** True from the moment that no new work may be claimed. */
  draining: () => boolean;
  /** Starts to drain this worker: the store says so, or (with the reason) nothing is left that it could do. */
  onDrain: (why: string | null) => void;
  /** Tasks that were given back because the worker ended, as `run/key`. */
  left: string[];
}

/** Name of this worker as an actor in records. */
export function actorOf(ctx: Pick<WorkerContext, 'worker'>): string {
  return `worker:${ctx.worker.name}`;
}
