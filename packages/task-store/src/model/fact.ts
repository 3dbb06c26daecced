import type { TaskDraft } from '@baton/contracts';
import type { AbortReason, TaskStatus, TransitionReason } from '@baton/fsm-core';
import type { Holding, Task } from './task.ts';

/**
 * Facts that a holder reports (docs/spec/kernel.md#coupled-steps); each becomes exactly one row of coupled moves, in one
 * statement, or nothing.
 */
export type Fact =
  | { fact: 'setup_failed'; holding: Holding; reason: string; retry: boolean; counted: boolean }
  | {
      fact: 'launched';
      holdings: Holding[];
      adapter: string;
      model?: string | null;
      pid?: number | null;
      pidStarted?: string | null;
      workspace: string;
      deadlineAt?: Date | null;
      route?: unknown;
    }
  | { fact: 'ready'; holding: Holding; baseCommit: string; startCommit: string }
  | {
      fact: 'next_task';
      holding: Holding;
      baseCommit: string;
      startCommit: string;
      pid?: number | null;
      pidStarted?: string | null;
      /** The session's deadline from now on. */ deadlineAt?: Date;
    }
  | { fact: 'tool_started' | 'tool_ended' | 'compaction_started' | 'compaction_ended'; holding: Holding }
  | {
      fact: 'done';
      holding: Holding;
      baseCommit: string;
      startCommit: string;
      headCommit: string;
      summary: string;
    }
  | {
      fact: 'agent_failed';
      holding: Holding;
      reason: string;
      /** What the next attempt's agent gets to read, as of refused work. */
      rejections?: string[];
      /** `max_cost`: it cost more than its task may, or all of that. */
      outcome: 'agent_failed' | 'timeout' | 'crashed' | 'rate_limited' | 'spawn_failed' | 'max_cost';
      transitionReason?: TransitionReason;
      abortReason?: AbortReason;
      notBefore?: Date;
      salvageRef?: string;
      denied?: string;
    }
  | {
      fact: 'released';
      holding: Holding;
      reason: string;
      /** Why in the kernel's words; `retry` when left out. */ transitionReason?: TransitionReason;
      /** Why its agent was stopped. */ abortReason?: AbortReason;
      salvageRef?: string;
      /** Parked until then. */ notBefore?: Date;
      /** What it waits for; becomes the outcome of the attempt, and what `explain` names. */
      because?: 'price_unknown' | 'budget' | 'parked' | 'provider_down' | 'agent_unavailable' | 'state_full';
    }
  | { fact: 'cancelled'; holding: Holding; reason: string; salvageRef?: string }
  | { fact: 'blocked'; holding: Holding; on: NonNullable<Task['blockedOn']>; reason: string }
  | { fact: 'decomposed'; holding: Holding; children: TaskDraft[]; reason: string }
  /** Its work is done, and it is kept for more (`reuse`, docs/spec/kernel.md#idle-agents). */
  | { fact: 'rested'; sessionId: string }
  | { fact: 'batch_over'; sessionId: string; exitCode: number | null; abortReason?: AbortReason }
  | {
      fact: 'process_died';
      sessionId: string;
      exitCode: number | null;
      abortReason: AbortReason;
      reason: string;
      /** Baton did not end it, whatever signal it got: the try counts. */ ofItself?: boolean;
    }
  | {
      fact: 'orphan_settled';
      holding: Holding;
      to: 'DONE' | 'OPEN' | 'FAILED';
      reason: string;
      denied?: string;
      startCommit?: string;
      headCommit?: string;
      summary?: string;
      salvageRef?: string;
    }
  | {
      fact: 'rejected';
      holding: Holding;
      kind: 'rejected' | 'conflict' | 'base_rejected' | 'head_lost';
      reasons: string[];
      /** Set where no check but a person's hook said no. */ transitionReason?: TransitionReason;
      /** Set by the trust policy: it is not tried again without a person's word, and why. */ denied?: string;
    }
  | { fact: 'approval_wanted'; holding: Holding; reason: string; headCommit: string; patchId: string };

/** A refused report changes nothing; a LEASE_LOST one is kept as a `late_report` event. */
export type RecordOutcome =
  { ok: true; taskStatus: TaskStatus | null } | { ok: false; code: RefusalCode; message: string };

/** Why a report was refused. The last two: a policy says no (docs/spec/kernel.md#guards-and-policies). */
export type RefusalCode =
  'LEASE_LOST' | 'ILLEGAL_TRANSITION' | 'STALE' | 'NOT_FOUND' | 'RETRY_BUDGET_EXCEEDED' | 'TRANSITION_DENIED';

/** Facts of an agent that gets on with its work: decided on what its holder knows of the machines already. */
export type Progress = Extract<
  Fact,
  {
    fact:
      | 'launched'
      | 'ready'
      | 'next_task'
      | 'tool_started'
      | 'tool_ended'
      | 'compaction_started'
      | 'compaction_ended'
      | 'done';
  }
>;

/** Facts decided without what a claim does not tell: retries, grants, the wish to cancel. */
const progress: ReadonlySet<string> = new Set<Progress['fact']>([
  'launched',
  'ready',
  'next_task',
  'tool_started',
  'tool_ended',
  'compaction_started',
  'compaction_ended',
  'done',
]);

/** Whether a fact can be decided on what its holder knows. */
export const isProgress = (fact: Fact): boolean => progress.has(fact.fact);
