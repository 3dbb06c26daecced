import type { Change, EventDraft } from '../../../src/decide/change.ts';
import type { Fact } from '../../../src/model/fact.ts';
import type { AttemptState, SessionState, TaskState } from '../../../src/decide/situation.ts';
import type { SweepWindow } from '../../../src/decide/sweep-window.ts';
import type { Holding } from '../../../src/model/task.ts';

/** The one moment of every world: what has to come or to go by time does so in a step of its own. */
export const now = new Date(Date.UTC(2026, 0, 1));

/** A lease on the database's clock. */
export type Lease = 'live' | 'lapsed' | null;

/** Columns of a task that decisions or statements look at. What never changes stands in the size. */
export interface TaskRow extends TaskState {
  pending: number;
  claimable: boolean;
  settled: boolean;
  notBefore: Date | null;
  blocked: boolean;
  continues: boolean;
  /** What the specification's own table says; compared with the production's count. */
  tally: { tries: number; conflicts: number; spawnFailures: number };
  /** Landings of this task that the database holds confirmed. */
  confirmed: number;
}

/** Columns of an attempt; an ended one stays only while somebody still speaks of it. */
export interface AttemptRow extends AttemptState {
  sessionId: string | null;
  workerId: string | null;
  lease: Lease;
  ended: boolean;
  outcome: string | null;
  /** Order of the moments at which attempts were done; 0: not yet. */
  doneAt: number;
  reserved: boolean;
}

/** Columns of a session. */
export interface SessionRow extends SessionState {
  workerId: string;
  ended: boolean;
  hasSlot: boolean;
  /** Paths of its batch, while it holds them. */
  paths: readonly string[];
}

/** An intent to land that is still open, or the confirmed one of this very change. */
export interface LandingRow {
  id: string;
  taskId: string;
  attemptId: string;
}

/** A person's word that is waited for, or was given for this head. */
export interface ApprovalRow {
  id: string;
  taskId: string;
  attemptId: string;
  status: 'waiting' | 'approved';
}

/** What a worker's process keeps in mind of what it does; a crash forgets it. */
export type Job =
  | {
      kind: 'batch';
      sessionId: string;
      holdings: readonly (Holding & { taskId: string })[];
      /** Place of the task that it is at, from 0. */
      at: number;
      phase: 'claimed' | 'launched' | 'running' | 'between' | 'giving' | 'failing' | 'closing';
    }
  | { kind: 'orphans'; holdings: readonly (Holding & { taskId: string })[] }
  | {
      kind: 'lane';
      epoch: number;
      phase: 'held' | 'opened' | 'took' | 'intended' | 'moved';
      holding: (Holding & { taskId: string }) | null;
      /** What lands together with it, in its order. */
      mates: readonly (Holding & { taskId: string })[];
      /** The intent of a task that lands alone. */
      landingId: string | null;
      /** Open intents of earlier holders, as read when the lane was opened; settled before anything else. */
      intents: readonly string[];
    };

/** One worker process; after a crash the next one has another id. */
export interface Worker {
  id: string;
  /** Kept from renewing for a whole lease, and not known to be back. */
  silent: boolean;
  job: Job | null;
  /** The report that it waits for the answer of. */
  waitsFor: string | null;
}

/** A report on its way: a second copy of one, or one that is decided on and not yet written. */
export interface Message {
  id: string;
  fact: Fact | { fact: 'lease_lapsed'; sessionId: string };
  commandId: string | null;
  /** The change as decided on an earlier state; null: not read yet. */
  change: Change | null;
}

/** The target's repository, outside of the database. */
export interface Git {
  /** Newest epoch that the lane's ref was moved to. */
  laneEpoch: number;
  /** Intents whose commit is on the target although the database does not know yet. */
  moved: readonly string[];
  /** How often work of each task came onto the target. */
  effects: Readonly<Record<string, number>>;
}

/** What never changes of a task. */
export interface TaskPlan {
  id: string;
  files: readonly string[];
  waitsFor: readonly string[];
  maxRetries: number;
  /** Conflicts and transient spawn errors that lie behind it at the start. */
  conflicts?: number;
  setbacks?: number;
  approval?: boolean;
  /** What an agent and a lane may make of it. */
  may: readonly (
    | 'rest'
    | 'tools'
    | 'parallel_tools'
    | 'compact'
    | 'fail'
    | 'spawn_fail'
    | 'block'
    | 'reject'
    | 'conflict'
    | 'early_done'
    | 'empty'
  )[];
}

/** How big a world is and what may go wrong in it. */
export interface Size {
  name: string;
  workers: number;
  tasks: readonly TaskPlan[];
  batchSize: number;
  maxAgents: number | null;
  /** Launch and readiness are one step, DONE is the end. */
  collapsed: boolean;
  /** What can have no effect any more is over at once (absorb.ts); else it arrives at any time later. */
  absorbs: boolean;
  /** The sweeper's own clock is modelled: it may start late, or be asleep with all the others. */
  sweeperClock: boolean;
  /** How often each may happen; `all`: all of them together. */
  faults: { crashes: number; duplicates: number; delays: number; all: number };
  /** What waits may land together; else one after the other. */
  trains: boolean;
  /** Keeps every event: for walks, whose histories are replayed; an exploration would never come to an end with it. */
  keepsHistory: boolean;
  /** Cancels that a person may ask for. */
  cancels: number;
}

/** All rows, processes, reports on their way and refs. A value: steps make new ones. */
export interface World {
  readonly size: Size;
  tasks: readonly TaskRow[];
  attempts: readonly AttemptRow[];
  sessions: readonly SessionRow[];
  landings: readonly LandingRow[];
  approvals: readonly ApprovalRow[];
  lane: { epoch: number; workerId: string | null; lease: Lease };
  /** Commands that had their effect, while somebody may still repeat them. */
  commands: readonly string[];
  git: Git;
  workers: readonly Worker[];
  flight: readonly Message[];
  sweeper: { window: SweepWindow; now: number };
  left: Size['faults'] & { cancels: number };
  /** Every event ever written; only where the size keeps it, for replay. */
  history: readonly EventDraft[];
  /** Next number for an id. */
  next: number;
}

/** The plan of a task. */
export function planOf(world: World, id: string): TaskPlan {
  const plan = world.size.tasks.find((task) => task.id === id);
  if (plan === undefined) throw new Error(`no task ${id}`);
  return plan;
}

/** A row by its id. */
export function byId<Row extends { id: string }>(rows: readonly Row[], id: string): Row | undefined {
  return rows.find((row) => row.id === id);
}

/** Rows with one of them changed. */
export function patched<Row extends { id: string }>(
  rows: readonly Row[],
  id: string,
  patch: Partial<Row>,
): readonly Row[] {
  return rows.map((row) => (row.id === id ? { ...row, ...patch } : row));
}

/** The attempt of a task that has not ended. */
export function openAttempt(world: World, taskId: string): AttemptRow | undefined {
  return world.attempts.find((attempt) => attempt.taskId === taskId && !attempt.ended);
}

/** Does a living process have this id? */
export function isAlive(world: World, workerId: string | null): boolean {
  return world.workers.some(({ id }) => id === workerId);
}
