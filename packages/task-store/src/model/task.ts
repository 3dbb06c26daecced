import type { AgentDefinition, CompletionSignal, Review, Scope, TaskSource } from '@baton/contracts';
import type { AgentStatus, ExecutionState, TaskStatus, TurnState } from '@baton/fsm-core';

import type { HeadPlace } from './head-place.ts';
import type { Repo, Run } from './run.ts';

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
  /** Tries that counted so far (docs/spec/store.md#which-tries-count); at most 1 + maxRetries, plus `grantedTries`. */
  tries: number;
  /** Tries beyond those, by a person's word. */
  grantedTries: number;
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
  /** What a reviewer said of its change; null: none was asked. */
  review: Review | null;
  route: unknown;
  inputTokens: number;
  outputTokens: number;
  /** What is not measured is in it at its bound. */
  costMicroUsd: number;
  costEstimated: boolean;
  /** `none`: nothing that costs began; `open`: at work; `unknown`, `unmeasured`: it did not report all that it spent. */
  meter: 'none' | 'open' | 'measured' | 'unknown' | 'unmeasured';
  /** The part of its cost that was not measured. */
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
  /** Start time of the process as the OS gives it: distinguishes a reused pid from the same one. */
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

/** A session as it was read. */
export interface ListedSession extends AgentSession {
  /** When, by the clock of the database: how long its last sign of life is past is reckoned from here. */
  readAt: Date;
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
