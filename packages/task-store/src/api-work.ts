import type { AgentEvent, NewTask, Usage, Verdict, WorkspaceSetup } from '@baton/contracts';
import type { TaskStatus } from '@baton/fsm-core';
import type { Fact, Progress, RecordOutcome } from './facts.ts';
import type { NewRun } from './new-run.ts';
import type { Actor, NewClaim, PersonsWords, Speaker } from './requests.ts';
import type {
  AgentSession,
  Attempt,
  Claim,
  Explanation,
  KnownProcesses,
  Holding,
  Page,
  Repo,
  Run,
  RunGraph,
  RunStatus,
  StoredEvent,
  StoredVerdict,
  Task,
} from './types.ts';

/** Runs. */
export interface RunsApi {
  /** Creates a run with its tasks, PLANNED until `approvePlan`. What is left out has the default of a plan. @throws INVALID_INPUT, CONFLICT, DEPENDENCY_CYCLE */
  create(draft: NewRun, by: Actor): Promise<{ run: Run; tasks: Task[] }>;
  /** PLANNED→OPEN for all (or some) tasks of the run. */
  approvePlan(runId: string, options: Actor & { taskIds?: string[] }): Promise<number>;
  /** PLANNED→CANCELLED. */
  rejectPlan(runId: string, options: Actor & { taskIds?: string[] }): Promise<number>;
  get(id: string): Promise<Run | null>;
  /** By id, slug, or unique prefix of the slug. @throws NOT_FOUND, AMBIGUOUS */
  find(reference: string): Promise<Run>;
  list(filter: {
    status?: RunStatus[];
    repoId?: string;
    cursor?: string;
    limit?: number;
  }): Promise<Page<Run>>;
  pause(runId: string, by: Actor): Promise<Run>;
  /** Back to work: a paused run, or one that failed before all its tasks were settled. @throws CONFLICT */
  resume(runId: string, by: Actor): Promise<Run>;
  /**
   * Changes what a paused or failed run is carried out with, before it is resumed. Base and workspace change only while nothing has
   * landed; the base is judged anew then. @throws NOT_FOUND, CONFLICT for a run that goes on or has ended
   */
  amend(
    runId: string,
    change: { baseCommit?: string; workspace?: WorkspaceSetup; allowRed?: string[] },
  ): Promise<Run>;
  /** Cancels all that is not settled. */
  cancel(runId: string, by: Actor): Promise<Run>;
  /** Marks a run failed before any work, e.g. when its repository was replaced by another; its tasks stay as they are. */
  fail(runId: string, by: Actor): Promise<Run>;
  /**
   * Sets what a run may spend; null: as much as it takes. What waited for money is claimable at once, and the change stands in the
   * run's history. @throws BUDGET_EXCEEDED for less than is spent and reserved
   */
  setBudget(runId: string, options: Actor & { capMicroUsd: number | null }): Promise<Run>;
  /** Computes the status from the tasks and stores it (done, failed, stuck, waiting, running). */
  settle(runId: string): Promise<Run>;
  repo(id: string): Promise<Repo | null>;
  /** Sets the base commit once; answers the one that stands. */
  pinBase(runId: string, baseCommit: string): Promise<string>;
  /**
   * What the run's gates say of its base, before any work (docs/spec/agents.md#base). Null: not verified yet, or not by the checks
   * and with the set-up that `checksHash` names.
   */
  baseVerdict(runId: string, checksHash?: string): Promise<Verdict | null>;
  saveBaseVerdict(runId: string, saved: { verdict: Verdict; checksHash: string }): Promise<void>;
}

/** Tasks. */
export interface TasksApi {
  /** Adds tasks to a run, OPEN unless `planned`. @throws INVALID_INPUT, CONFLICT, NOT_FOUND, DEPENDENCY_CYCLE */
  add(runId: string, options: Actor & { drafts: readonly NewTask[]; planned?: boolean }): Promise<Task[]>;
  get(id: string): Promise<Task | null>;
  /** By id, `run/key`, key (if unique among unsettled runs, newest run first) or unique id prefix/suffix ≥ 6 chars. @throws NOT_FOUND, AMBIGUOUS */
  find(reference: string, options?: { runId?: string }): Promise<Task>;
  list(filter: {
    runId?: string;
    status?: TaskStatus[];
    role?: string;
    parentId?: string;
    settled?: boolean;
    /** Has all of these. */
    labels?: string[];
    /** Stands in its key or title, whatever the case. */
    text?: string;
    /** What is there when the first page is read comes exactly once, whatever is added meanwhile. */
    cursor?: string;
    limit?: number;
  }): Promise<Page<Task>>;
  dependencies(runId: string): Promise<{ taskId: string; dependsOnId: string }[]>;
  /** Tasks and dependencies of a run at one moment. @throws NOT_FOUND */
  graph(runId: string): Promise<RunGraph>;
  attempts(taskId: string): Promise<Attempt[]>;
  /** Open or closed attempts by run; newest last. */
  listAttempts(filter: {
    runId?: string;
    sessionId?: string;
    open?: boolean;
    /** Only those after this one, oldest first. */
    after?: string;
    limit?: number;
  }): Promise<Attempt[]>;
  sessions(filter: {
    runId?: string;
    workerId?: string;
    host?: string;
    live?: boolean;
    /** Only those after this one, oldest first. */
    after?: string;
    limit?: number;
  }): Promise<AgentSession[]>;
  history(entity: { machine?: StoredEvent['machine']; entityId: string }): Promise<StoredEvent[]>;
  /** Why a task does not move, and who or what moves it next; `known` sharpens what heartbeats say of workers. */
  explain(taskId: string, known?: KnownProcesses): Promise<Explanation>;
  cancel(taskId: string, by: Actor): Promise<Task>;
  /** FAILED→OPEN: grants one try; reopens the run. */
  retry(taskId: string, by: Speaker): Promise<Task>;
  unblock(taskId: string, by: Speaker): Promise<Task>;
  /** What people said to the agents of a task when they had it tried again, oldest first. */
  words(taskId: string): Promise<PersonsWords[]>;
  verdicts(taskId: string): Promise<StoredVerdict[]>;
  landings(filter: {
    runId?: string;
    taskId?: string;
  }): Promise<{ taskId: string; attemptId: string; commit: string; tree: string; confirmedAt: Date }[]>;
}

/** Claims and leases. */
export interface ClaimsApi {
  /** Takes the next ready tasks for one agent; null: there are none. @throws INVALID_INPUT */
  claimBatch(request: NewClaim): Promise<Claim | null>;
  claimTask(taskId: string, request: Omit<NewClaim, 'maxTasks' | 'runId'>): Promise<Claim | null>;
  /** Reports what became of claimed work. A refusal is an answer, no error. @throws INVALID_INPUT for what is no fact */
  record(fact: Fact, by: { actor: string; commandId?: string }): Promise<RecordOutcome>;
  /**
   * Up to 200 ready tasks in the order of `claimBatch`, a session of one task each: for work that is done in bulk. It is one
   * statement as far as neither paths nor slots nor a budget that has no room for all have to be looked at; the rest is
   * claimed one by one.
   */
  claimMany(request: Omit<NewClaim, 'maxTasks'> & { count: number }): Promise<Claim[]>;
  /** Several facts of one session in order, all or none, in one statement: launched and ready, the tool calls of a burst. */
  recordAll(
    facts: readonly [Progress, ...Progress[]],
    by: { actor: string; commandId?: string },
  ): Promise<RecordOutcome>;
  /** The progress of many sessions, in statements of up to 64; answers in the same order. One that is refused never holds up the others. */
  recordMany(
    reports: readonly (readonly [Progress, ...Progress[]])[],
    by: { actor: string },
  ): Promise<RecordOutcome[]>;
  /** Attempt ids: those lost to another holder or the sweeper, and those whose task shall be cancelled. */
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

/** What agents stream. */
export interface StreamsApi {
  append(
    items: { sessionId: string; attemptId: string | null; event: AgentEvent; at: Date }[],
  ): Promise<void>;
  events(filter: {
    sessionId?: string;
    attemptId?: string;
    taskId?: string;
    after?: string;
    limit?: number;
  }): Promise<{ id: string; sessionId: string; attemptId: string | null; event: AgentEvent; at: Date }[]>;
  /**
   * Never fenced; booked once per (attempt, offset). Settles the reservation. `capReached`: the run's budget is spent, or this
   * attempt's share is and others hold the rest; `maxCost…`: all tries of its task together cost what it may, or more.
   */
  recordUsage(item: {
    attemptId: string;
    offset: number;
    usage: Usage;
    costMicroUsd: number;
  }): Promise<Booked>;
  /** An agent that costs is about to begin: until {@link closeMeter} what it spends is unknown, and booked at its bound if it ends so. */
  openMeter(attemptId: string): Promise<void>;
  /** `none`: nothing was spent; `unknown`: not all was told, and the settlement books the bound. What was settled meanwhile stays. */
  closeMeter(
    attemptId: string,
    options: { meter: 'none' | 'measured' | 'unknown'; reason?: string | null },
  ): Promise<void>;
  /** What is reserved for attempts (null: nothing) and what their tasks may still cost (null: no max_cost); micro-dollars. */
  shares(
    attemptIds: readonly string[],
  ): Promise<{ attemptId: string; reservedMicroUsd: number | null; leftMicroUsd: number | null }[]>;
  /** Names of agents of which an attempt in this run did not tell all that it spent. */
  unmeasuredAgents(runId: string): Promise<string[]>;
  /** Booked usage of a run, oldest first: what cost reports are made of. */
  usageEntries(filter: { runId: string }): Promise<
    {
      taskId: string;
      runId: string;
      role: string;
      model: string | null;
      agent: string | null;
      at: Date;
      inputTokens: number;
      outputTokens: number;
      cacheReadTokens: number;
      cacheWriteTokens: number;
      costMicroUsd: number;
      estimated: boolean;
      /** False: booked at a bound, since nobody measured it. */
      measured: boolean;
    }[]
  >;
  /** A sign of life of a session, what it does now, and the model that it says it works with. */
  touchSession(
    sessionId: string,
    options: { activity?: string; model?: string; lastSignAt: Date },
  ): Promise<void>;
  setSalvage(holding: Holding, ref: string): Promise<void>;
}
