import type { AgentStatus, ExecutionState, TaskStatus, TurnState } from '@baton/fsm-core';

/** What deciding needs to know of a task. */
export interface TaskState {
  id: string;
  runId: string;
  status: TaskStatus;
  version: number;
  fence: number;
  tries: number;
  grantedTries: number;
  maxRetries: number;
  conflicts: number;
  setbacks: number;
  cancelRequested: boolean;
  /** How often its max_cost has to be granted once more until a try may cost something; absent: never, or it did not fail. */
  unpaidTries?: number;
  /** What all attempts at this work came to; null or absent: nothing was tried before. */
  lineage?: Lineage | null;
}

/** What deciding needs to know of an attempt and its turn. */
export interface AttemptState {
  id: string;
  taskId: string;
  fence: number;
  /** Place in its batch, from 1. */
  place: number;
  turnStatus: TurnState;
  turnSeq: number;
  openTools: number;
  startCommit: string | null;
  headCommit: string | null;
  orphanCounts: boolean;
}

/** What deciding needs to know of an agent session. */
export interface SessionState {
  id: string;
  runId: string;
  /** Null until launched. */
  status: AgentStatus | null;
  statusSeq: number;
  executionState: ExecutionState;
  executionSeq: number;
  /** The attempt that the agent is on, or was on last. */
  currentAttemptId: string | null;
}

/** One attempt with its task. */
export interface Item {
  task: TaskState;
  attempt: AttemptState;
}

/** All that a fact is decided on: a snapshot of the machines it may move, read in one statement. */
export interface Situation {
  /** Database time of the snapshot. */
  now: Date;
  session: SessionState | null;
  /** The attempts that the fact names, or all open ones of the session, in batch order. */
  items: Item[];
  /** Tasks that move without an attempt. */
  others: TaskState[];
}

/** What the attempts at a piece of work came to: a task with what it was split from and all that this was split into. */
export interface Lineage {
  /** Attempts in which an agent worked and that came to nothing. */
  spent: number;
  /** Retries of the task at the root. */
  maxRetries: number;
  /** The plan's own limit; null: the default. */
  maxAttempts: number | null;
  /** Tries that people granted anywhere in it. */
  granted: number;
}
