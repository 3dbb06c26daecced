import type {
  AgentDefinition,
  CompletionSignal,
  Gate,
  Scope,
  TaskSource,
  WorkspaceSetup,
} from '@baton/contracts';
import type { AgentStatus, ExecutionState, TaskStatus, TurnState } from '@baton/fsm-core';

export type { Cause, Explanation, KnownProcesses, LaneWaitCause, RootCause } from './explanation-types.ts';
import type { HeadPlace } from './landing-types.ts';

export type {
  Approval,
  HeadPlace,
  Lane,
  LandingWork,
  LostHead,
  OpenIntent,
  StoredVerdict,
} from './landing-types.ts';
export type { WithdrawnAgent, Worker } from './worker-types.ts';

/** running: work goes on · paused: by a person · waiting: only a person's word moves it · stuck: only a retry does · failed: all settled, some FAILED · done: all CLOSED. */
export type RunStatus = 'running' | 'paused' | 'waiting' | 'stuck' | 'done' | 'failed' | 'cancelled';

/** A git repository that work is done on. */
export interface Repo {
  id: string;
  /** URL, or the absolute path of a local repository. */
  location: string;
  /** Host name for a local path: only its workers can serve it. Null for a URL. */
  host: string | null;
}

/** One plan or goal being carried out. */
export interface Run {
  id: string;
  /** Short, unique, fit for a branch name: `tidy-7k2f`. */
  slug: string;
  name: string;
  repoId: string;
  status: RunStatus;
  /** Why it has this status, for people. */
  statusReason: string | null;
  target: string;
  /** Head of the target when the run began; null until a worker pinned it. */
  baseCommit: string | null;
  batchSize: number;
  maxAgents: number | null;
  trust: 'observe' | 'enforce';
  review: boolean;
  budgetMicroUsd: number | null;
  /** What is not measured is in it at its bound. */
  spentMicroUsd: number;
  reservedMicroUsd: number;
  /** The part of what is spent that nobody measured. */
  unmeasuredMicroUsd: number;
  /** Attempts that did not tell all they spent: without a bound their cost is not known at all. */
  unmeasuredAttempts: number;
  /** Pinned at the base commit; changed only by a named person. */
  gates: Gate[];
  gatesHash: string;
  allowRed: string[];
  workspace: WorkspaceSetup | null;
  agents: Record<string, AgentDefinition>;
  defaultAgent: string | AgentDefinition | null;
  /** Role table of the repository's configuration. */
  routing: unknown;
  plan: unknown;
  createdBy: string;
  createdAt: Date;
  finishedAt: Date | null;
}

/** The unit of work. `version` is the machine's seq: compare-and-set on it. */
export interface Task {
  id: string;
  runId: string;
  repoId: string;
  parentId: string | null;
  key: string;
  title: string;
  goal: string;
  role: string;
  scope: Scope;
  complexity: 'low' | 'medium' | 'high';
  risk: 'low' | 'medium' | 'high';
  priority: number;
  files: string[];
  context: string[];
  signals: CompletionSignal[];
  agent: string | AgentDefinition | null;
  model: string | null;
  effort: 'low' | 'medium' | 'high' | null;
  labels: string[];
  status: TaskStatus;
  version: number;
  pendingDependencies: number;
  claimable: boolean;
  maxRetries: number;
  /** Attempts of it and its subtasks in all, counted or not; null or absent: no limit of its own. */
  maxAttempts?: number | null | undefined;
  /** Tries that counted so far (docs/spec/store.md#which-tries-count); at most 1 + maxRetries, plus tries a person granted. */
  tries: number;
  conflicts: number;
  notBefore: Date | null;
  timeoutMs: number | null;
  maxCostMicroUsd: number | null;
  approval: boolean;
  allowRed: string[];
  blockedOn: { task?: string; approval?: string; until?: string; text?: string } | null;
  cancelRequested: boolean;
  /** CLOSED, CANCELLED, or FAILED with no tries left. */
  settled: boolean;
  source: TaskSource;
  createdAt: Date;
  updatedAt: Date;
}

/** One claim of one task. */
export interface Attempt {
  id: string;
  taskId: string;
  runId: string;
  sessionId: string | null;
  /** 1..n in order of claims. */
  number: number;
  counted: boolean;
  /** Grows, per task, with every change of holder; every write of a holder carries it. */
  fence: number;
  workerId: string | null;
  leaseExpiresAt: Date | null;
  turnStatus: TurnState;
  turnSeq: number;
  /** Head that the workspace was opened on. */
  baseCommit: string | null;
  /** Commit range of the work: startCommit..headCommit (equal: no change). */
  startCommit: string | null;
  headCommit: string | null;
  /** Null: not written down. */
  headPlace: HeadPlace | null;
  summary: string | null;
  /** done, rejected, conflict, base_rejected, agent_failed, crashed, timeout, released, cancelled, … Null while open. */
  outcome: string | null;
  abortReason: string | null;
  /** Reasons of the "no", one sentence each. */
  rejections: string[];
  salvageRef: string | null;
  route: unknown;
  inputTokens: number;
  outputTokens: number;
  /** What is not measured is in it at its bound. */
  costMicroUsd: number;
  costEstimated: boolean;
  /** `none`: nothing that costs began; `open`: at work; `unknown`, `unmeasured`: not all that it spent was told. */
  meter: 'none' | 'open' | 'measured' | 'unknown' | 'unmeasured';
  /** The part of its cost that nobody measured. */
  unmeasuredMicroUsd: number;
  /** Why not all was measured; null: all was, as far as is known. */
  unmeasuredReason: string | null;
  createdAt: Date;
  endedAt: Date | null;
}

/** One agent process (or several, one after the other, for `command`) on one batch in one workspace. */
export interface AgentSession {
  id: string;
  runId: string;
  workerId: string;
  adapter: string;
  model: string | null;
  pid: number | null;
  /** Start time of the process as the OS gives it: tells a reused pid from the same one. */
  pidStarted: string | null;
  host: string;
  parentSessionId: string | null;
  activity: string | null;
  /** Null until launched. */
  status: AgentStatus | null;
  statusSeq: number;
  executionState: ExecutionState;
  executionSeq: number;
  exitCode: number | null;
  abortReason: string | null;
  workspace: string | null;
  deadlineAt: Date | null;
  lastSignAt: Date | null;
  createdAt: Date;
  endedAt: Date | null;
}

/** What the holder of an attempt must show with each write. */
export interface Holding {
  attemptId: string;
  fence: number;
}

/** One task of a claim with what its agent should know. */
export interface ClaimedTask {
  task: Task;
  attempt: Attempt;
  /** Rejected work to continue from (its range is merged onto the fresh head), or null for a fresh start. */
  continueFrom: { startCommit: string; headCommit: string } | null;
  /** Reasons of earlier "no"s, newest last. */
  rejections: string[];
  /** Salvage of a crashed try, named in the prompt. */
  salvageRef: string | null;
  /** Finished dependencies: what they did and where they landed. */
  predecessors: { key: string; title: string; summary: string | null; landedCommit: string | null }[];
}

/** A batch of 1–3 tasks for one agent, all or nothing. */
export interface Claim {
  sessionId: string;
  run: Run;
  repo: Repo;
  tasks: ClaimedTask[];
  leaseExpiresAt: Date;
}

/** One record of one move of one machine (docs/spec/kernel.md#records), as stored. */
export interface StoredEvent {
  /** The number of its change and its place in it, apart by a dot. */
  id: string;
  /** Dense, gap-free place in the feed; null until the sequencer numbered it. */
  position: number | null;
  machine: 'task' | 'agent' | 'turn' | 'cognitive' | 'execution' | 'run';
  /** Version of the machine's definition that decided. */
  version: number;
  entityId: string;
  runId: string | null;
  taskId: string | null;
  seq: number;
  from: string | null;
  to: string;
  event: string;
  alias: string | null;
  kind: 'created' | 'move' | 'override' | 'refused' | 'late_report';
  actor: string;
  reason: string;
  transitionReason: string | null;
  abortReason: string | null;
  trigger: string | null;
  metadata: Record<string, unknown>;
  at: Date;
}

/** A record as the feed gives it: whoever reads it need not ask whose it is. */
export interface FeedEvent extends StoredEvent {
  /** Key and title of its task; null: it is about no task, or about one that is gone. */
  taskKey: string | null;
  taskTitle: string | null;
}

/** The tasks of a run and how they hang together, at one moment. */
export interface RunGraph {
  runId: string;
  slug: string;
  /** In the order of the plan; `parentId`: the task that was split into it and others. */
  nodes: {
    id: string;
    key: string;
    title: string;
    role: string;
    status: TaskStatus;
    settled: boolean;
    parentId: string | null;
  }[];
  /** `satisfied`: what it depends on has landed. */
  edges: { taskId: string; dependsOnId: string; satisfied: boolean }[];
}

/** One break of the record. Of the log itself: machine `log`, entity `position`, and the position as `seq`. */
export interface AuditBreak {
  machine: string;
  entityId: string;
  seq: number;
  what: string;
}

/** Where the log ended at some moment. One that is kept elsewhere proves all events before it, their order and that none is gone. */
export interface AuditHead {
  /** The position after its last event. */
  next: number;
  /** SHA-256 over all events before it, as 64 hexadecimal digits. */
  hash: string;
}

/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** Pass as `cursor` for the next page; null at the end. */
  nextCursor: string | null;
}
