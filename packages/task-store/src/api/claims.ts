import type { Claim, Task, Attempt, AgentSession } from '../model/task.ts';
import type { Run, Repo } from '../model/run.ts';
import type { NewClaim } from '../model/requests.ts';
import type { Fact, RecordOutcome, Progress } from '../model/fact.ts';

/** Claims and leases. */
export interface ClaimsApi {
  /**
   * Takes the next ready tasks for one agent; null: there are none. Claims of one task each that come at one moment leave as one
   * statement, as far as neither paths nor slots nor scarce money have to be looked at. @throws INVALID_INPUT
   */
  claimBatch(request: NewClaim): Promise<Claim | null>;
  /** Takes this task, if it is ready. With a `commandId`, a repeat takes nothing more: it gives what was taken, null once that has begun or is lost. */
  claimTask(
    taskId: string,
    request: Omit<NewClaim, 'maxTasks' | 'runId'> & { commandId?: string },
  ): Promise<Claim | null>;
  /** Reports what became of claimed work; reports of one moment leave as one statement. A refusal is an answer, no error. @throws INVALID_INPUT for what is no fact */
  record(fact: Fact, by: { actor: string; commandId?: string }): Promise<RecordOutcome>;
  /** Several facts of one session in order, all or none, in one statement: launched and ready, the tool calls of a burst. */
  recordAll(
    facts: readonly [Progress, ...Progress[]],
    by: { actor: string; commandId?: string },
  ): Promise<RecordOutcome>;
  /** Attempt ids: those lost to another holder or the sweeper, and those whose task is to be cancelled. */
  renewLeases(options: {
    workerId: string;
    leaseMs: number;
  }): Promise<{ lost: string[]; cancelRequested: string[] }>;
  /** Lapsed leases → OPEN or ORPHANED (docs/spec/store.md#expiry), due `not_before`, cancels without a holder, retry back-off. */
  sweep(options: {
    actor: string;
    /** How long holders lease; 120 000 when left out. */ leaseMs?: number;
  }): Promise<{ expired: string[]; orphaned: string[]; woken: number; cancelled: number }>;
  /** What has become due: back-offs, and blocks until a time. The sweep does it, too; this alone is cheap enough for every second. */
  wake(options: { actor: string }): Promise<number>;
  /** Tasks that were given back while a state folder was full (`state_full`) are due now, since one of this host has room. Gives how many. */
  roomFound(options: { host: string; runId?: string | null }): Promise<number>;
  /** ORPHANED attempts whose settlement this worker may do (own host first, anyone after one lease), taken under a new fence. */
  takeOrphans(options: {
    workerId: string;
    host: string;
    leaseMs: number;
    runId?: string;
  }): Promise<{ run: Run; repo: Repo; task: Task; attempt: Attempt; session: AgentSession | null }[]>;
}

/** What a booking came to; micro-dollars. */
export interface Booked {
  spentMicroUsd: number;
  capReached: boolean;
  capExceeded: boolean;
  maxCostReached: boolean;
  maxCostExceeded: boolean;
}
