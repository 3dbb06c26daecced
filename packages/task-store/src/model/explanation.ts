import type { TaskStatus } from '@baton/fsm-core';
import type { ExpectedConflict } from './expected-conflict.ts';

/** Why a task does not move. Source: docs/spec/store.md#explain. */
export type Cause =
  | 'dependency'
  | 'dependency_failed'
  | 'not_before'
  | 'run_paused'
  | 'run_limit'
  | 'budget'
  | 'price_unknown'
  | 'state_full'
  | 'path_lock'
  | 'not_carried'
  | 'no_capable_worker'
  | 'workers_draining'
  | 'provider_parked'
  | 'agent_unavailable'
  | 'plan_approval'
  | 'approval'
  | 'blocked'
  | 'subtasks'
  | 'running'
  | 'lease_silent'
  | 'verifying'
  | 'head_unreadable'
  | 'landing_failed'
  | 'landing_behind'
  | 'lane'
  | 'conflict'
  | 'checkout_dirty'
  | 'checkout_blocked'
  | 'checkout_hidden'
  | 'target_in_use'
  | 'target_moved'
  | 'pull_request_open'
  | 'pull_request_trouble'
  | 'merged_red'
  | 'retries_exhausted'
  | 'feed_behind'
  | 'settled'
  | 'ready';

/** Why a lane does not land what is finished. */
export type LaneWaitCause = Extract<
  Cause,
  | 'checkout_dirty'
  | 'checkout_blocked'
  | 'checkout_hidden'
  | 'target_in_use'
  | 'target_moved'
  | 'landing_failed'
>;

/** Why a task does not move, and who or what moves it next (docs/spec/store.md#explain). */
export interface Explanation {
  taskId: string;
  status: TaskStatus;
  settled: boolean;
  /** The first of all that hold. */
  cause: Cause;
  /** What would hold it up next, once the cause is gone; in order. */
  also: Cause[];
  /** One sentence for people. */
  text: string;
  /** Who or what acts next. */
  owner: string;
  /** When it moves by itself, if known. */
  until: Date | null;
  /** A command or act that unblocks it, if a person can. */
  unblock: string | null;
  /** Of a task that waits for others: the task at the end of that chain, which holds up all of them. */
  root: RootCause | null;
  /** What its work in progress would conflict with. It holds nothing up. */
  expectedConflicts: ExpectedConflict[];
}

/** The task at the root of a wait, and why it does not move. */
export interface RootCause extends Pick<
  Explanation,
  'taskId' | 'cause' | 'text' | 'owner' | 'until' | 'unblock'
> {
  key: string;
}

/**
 * What the asker has seen of the workers' processes on its own host, by worker id. The store itself knows heartbeats only: a
 * process that was killed a moment ago has a young one.
 */
export interface KnownProcesses {
  /** Their process is there. */
  there: readonly string[];
  /** Their process is gone, whatever their last heartbeat says. */
  gone: readonly string[];
  /** Its own host: a command for another one names that. */
  host?: string;
  /** The repository that it is in, null: none; a command for the run of another one names that. */
  here?: string | null;
  /** The store is that repository's own. */
  ownStore?: boolean;
}
