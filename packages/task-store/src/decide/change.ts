import type { AgentStatus, ExecutionState, TaskStatus, TurnState } from '@baton/fsm-core';
import type { StoredEvent } from '../model/event.ts';
import type { RunStatus } from '../model/run.ts';

/** A moment that the database decides. */
export type Moment = Date | 'now' | null;

/** One move to be written; the database gives id and time. */
export interface EventDraft {
  machine: StoredEvent['machine'];
  /** Version of the machine's definition that decided. */
  version: number;
  entityId: string;
  runId: string | null;
  taskId: string | null;
  seq: number;
  fromState: string | null;
  toState: string;
  event: string;
  alias: string | null;
  kind: StoredEvent['kind'];
  actor: string;
  reason: string;
  transitionReason: string | null;
  abortReason: string | null;
  trigger: string | null;
  metadata: Readonly<Record<string, unknown>>;
  /** Events with the same cause are of one fact. `transitionReason`: of all its moves that have none of their own. */
  cause?: { readonly transitionReason?: string | undefined };
}

/** Columns of a task that a change may set. */
export interface TaskPatch {
  status?: TaskStatus;
  version?: number;
  fence?: number;
  tries?: number;
  grantedTries?: number;
  conflicts?: number;
  continueFrom?: { startCommit: string; headCommit: string } | null;
  setbacks?: number;
  settled?: boolean;
  notBefore?: Moment;
  blockedOn?: object | null;
  cancelRequested?: boolean;
}

/** Columns of an attempt that a change may set. */
export interface AttemptPatch {
  counted?: boolean;
  fence?: number;
  workerId?: string | null;
  leaseExpiresAt?: Moment;
  turnStatus?: TurnState;
  turnSeq?: number;
  openTools?: number;
  baseCommit?: string | null;
  startCommit?: string | null;
  headCommit?: string | null;
  summary?: string | null;
  outcome?: string | null;
  abortReason?: string | null;
  rejections?: string[];
  salvageRef?: string | null;
  orphanedAt?: Moment;
  orphanCounts?: boolean;
  doneAt?: Moment;
  route?: unknown;
  endedAt?: Moment;
}

/** Columns of a session that a change may set. */
export interface SessionPatch {
  adapter?: string;
  model?: string | null;
  pid?: number | null;
  pidStarted?: string | null;
  activity?: string | null;
  currentAttemptId?: string | null;
  status?: AgentStatus | null;
  statusSeq?: number;
  executionState?: ExecutionState;
  executionSeq?: number;
  exitCode?: number | null;
  abortReason?: string | null;
  workspace?: string | null;
  deadlineAt?: Moment;
  lastSignAt?: Moment;
  endedAt?: Moment;
}

/** Columns of a run that a change may set. */
export interface RunPatch {
  status?: RunStatus;
  statusReason?: string | null;
  seq?: number;
  finishedAt?: Moment;
}

/**
 * One decided change, applied in one statement and one transaction, or not at all: each entity names the version (seq) and
 * fence it was decided on. The store's only way to move a machine besides the claim.
 */
export interface Change {
  command?: { id: string; actor: string; answer: unknown };
  /** `cancel`: all its unsettled tasks are to be cancelled. `seen`: the tasks it was decided on, as `seenOf` names them. */
  run?: { id: string; seq: number; patch: RunPatch; cancel?: true; seen?: string };
  sessions?: { id: string; statusSeq: number; executionSeq: number; patch: SessionPatch }[];
  tasks?: { id: string; version: number; fence?: number; patch: TaskPatch }[];
  attempts?: AttemptChange[];
  events?: EventDraft[];
  /** New tasks, as rows, with their edges. */
  add?: {
    tasks: object[];
    edges: { taskId: string; dependsOnId: string }[];
    by: { actor: string; reason: string };
  };
  /** Confirms this landing first. */
  landing?: { id: string };
  approval?: {
    id: string;
    runId: string;
    taskId: string;
    attemptId: string;
    reason: string;
    headCommit: string;
    patchId: string;
    nonce: string;
  };
  decision?: { id: string; status: 'approved' | 'rejected'; by: string; reason: string; nonce: string };
}

/** A change of one attempt, or a new one for the task named by `new` that no agent works on. */
export type AttemptChange =
  | {
      id: string;
      fence: number;
      turnSeq: number;
      openTools?: number;
      patch: AttemptPatch;
      free?: true | undefined;
      ifLapsed?: true;
    }
  | { id: string; new: string; fence: number };

/** What became of a change. */
export type Applied =
  | {
      ok: true;
      /** Tasks to cancel because of it. */ cascade: string[];
      /** Dependents that became ready. */ released: number;
    }
  | { ok: false; why: 'stale' | 'fence' | 'landing' | 'approval' }
  | {
      ok: false;
      why: 'repeated';
      /** The stored answer of the same command. */ /** The stored answer of the same command. */ answer: unknown;
    };

/** Tasks for one run by one actor. */
export interface Addition {
  runId: string;
  tasks: Record<string, unknown>[];
  edges: { taskId: string; dependsOnId: string }[];
  by: { actor: string; reason: string };
  command?: object | undefined;
}

/** What became of an addition: its tasks are those of the set from `from` (0) on; or what the same command did before. */
export type Added =
  | { made: { at: number; opened: boolean; from: number } | null; runStatus: string }
  | { repeated: { taskIds: string[] } };
