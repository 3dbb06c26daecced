import type {
  AgentDefinition,
  AgentEvent,
  Gate,
  TaskDraft,
  TriggerEvent,
  Usage,
  Verdict,
  WorkspaceSetup,
} from '@baton/contracts';
import type { AbortReason, TaskStatus, TransitionReason } from '@baton/fsm-core';
import type {
  AgentSession,
  Approval,
  Attempt,
  Claim,
  Explanation,
  Holding,
  Lane,
  LandingWork,
  OpenIntent,
  Page,
  Repo,
  Run,
  RunStatus,
  StoredEvent,
  StoredVerdict,
  Task,
  Worker,
} from './types.ts';

/** A run that shall be created with all its tasks. */
export interface RunDraft {
  slug: string;
  name: string;
  repo: { location: string; host: string | null };
  target: string;
  /** Null: submitted from afar; the first worker pins it (`pinBase`) to the head of the target or of the default branch. */
  baseCommit: string | null;
  batchSize: number;
  maxAgents: number | null;
  trust: 'observe' | 'enforce';
  review: boolean;
  budgetMicroUsd: number | null;
  gates: Gate[];
  allowRed: string[];
  workspace: WorkspaceSetup | null;
  agents: Record<string, AgentDefinition>;
  defaultAgent: string | AgentDefinition | null;
  routing: unknown;
  plan: unknown;
  tasks: TaskDraft[];
  createdBy: string;
}

export interface ClaimRequest {
  workerId: string;
  /** 1–3; above 3 is refused. */
  maxTasks: number;
  leaseMs: number;
  /** Only this run's tasks. */
  runId?: string;
  capabilities: { host: string; labels: string[]; /** Roles it takes; absent: all. */ roles?: string[] };
}

/** Facts of machines.md §3 that a holder reports; each becomes exactly one row of coupled moves, in one statement, or nothing. */
export type Fact =
  | { fact: 'setup_failed'; holding: Holding; reason: string; retry: boolean; counted: boolean }
  | {
      fact: 'launched';
      holdings: Holding[];
      adapter: string;
      model: string | null;
      pid: number | null;
      pidStarted: string | null;
      workspace: string;
      deadlineAt: Date | null;
      route: unknown;
    }
  | { fact: 'ready'; holding: Holding; baseCommit: string; startCommit: string }
  | {
      fact: 'next_task';
      holding: Holding;
      baseCommit: string;
      startCommit: string;
      pid: number | null;
      pidStarted: string | null;
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
      outcome: 'agent_failed' | 'timeout' | 'crashed' | 'rate_limited' | 'spawn_failed';
      transitionReason?: TransitionReason;
      abortReason?: AbortReason;
      notBefore?: Date;
      salvageRef?: string;
    }
  | {
      fact: 'released';
      holding: Holding;
      reason: string;
      salvageRef?: string;
      /** Parked until then. */ notBefore?: Date;
    }
  | { fact: 'cancelled'; holding: Holding; reason: string; salvageRef?: string }
  | { fact: 'blocked'; holding: Holding; on: NonNullable<Task['blockedOn']>; reason: string }
  | { fact: 'decomposed'; holding: Holding; children: TaskDraft[]; reason: string }
  | { fact: 'batch_over'; sessionId: string; exitCode: number | null; abortReason?: AbortReason }
  | {
      fact: 'process_died';
      sessionId: string;
      exitCode: number | null;
      abortReason: AbortReason;
      reason: string;
    }
  | {
      fact: 'orphan_settled';
      holding: Holding;
      to: 'DONE' | 'OPEN' | 'FAILED';
      reason: string;
      startCommit?: string;
      headCommit?: string;
      summary?: string;
      salvageRef?: string;
    }
  | { fact: 'rejected'; holding: Holding; kind: 'rejected' | 'conflict' | 'base_rejected'; reasons: string[] }
  | { fact: 'approval_wanted'; holding: Holding; reason: string; headCommit: string; patchId: string };

/** A refused report changes nothing; a LEASE_LOST one is kept as a `late_report` event. */
export type RecordOutcome =
  | { ok: true; taskStatus: TaskStatus | null }
  | { ok: false; code: 'LEASE_LOST' | 'ILLEGAL_TRANSITION' | 'STALE' | 'NOT_FOUND'; message: string };

export interface Actor {
  /** "operator:<name>", "worker:<id>", "api:<key name>", "plan_approval", "sweeper", "janitor", … */
  actor: string;
  reason: string;
  /** The same command id twice has one effect and the same answer. */
  commandId?: string;
}

/** The only writer of Baton's state. Guarantee: at-least-once execution, exactly-once effect, no event ever missed. */
export interface Store {
  readonly url: string;
  /** Made once per database: tells its lanes from those of another store on the same repository. */
  readonly storeId: string;
  close(): Promise<void>;

  // runs
  createRun(draft: RunDraft, by: Actor): Promise<{ run: Run; tasks: Task[] }>;
  /** PLANNED→OPEN for all (or some) tasks of the run. */
  approvePlan(runId: string, options: Actor & { taskIds?: string[] }): Promise<number>;
  /** PLANNED→CANCELLED. */
  rejectPlan(runId: string, options: Actor & { taskIds?: string[] }): Promise<number>;
  getRun(id: string): Promise<Run | null>;
  /** By id, slug, or unique prefix of the slug. @throws NOT_FOUND, AMBIGUOUS */
  findRun(reference: string): Promise<Run>;
  listRuns(filter: {
    status?: RunStatus[];
    repoId?: string;
    cursor?: string;
    limit?: number;
  }): Promise<Page<Run>>;
  pauseRun(runId: string, by: Actor): Promise<Run>;
  resumeRun(runId: string, by: Actor): Promise<Run>;
  /** Cancels all that is not settled. */
  cancelRun(runId: string, by: Actor): Promise<Run>;
  /** Marks a run failed before any work, e.g. on a red base or when no capable agent is left; its tasks stay as they are. */
  failRun(runId: string, by: Actor): Promise<Run>;
  /** Computes the status from the tasks and stores it (done, failed, stuck, waiting, running). */
  settleRun(runId: string): Promise<Run>;
  getRepo(id: string): Promise<Repo | null>;
  /** Sets the base commit once; answers the one that stands. */
  pinBase(runId: string, baseCommit: string): Promise<string>;
  /** What the run's gates say of its base, before any work (agents.md §1). Null: not verified yet. */
  baseVerdict(runId: string): Promise<Verdict | null>;
  saveBaseVerdict(runId: string, verdict: Verdict): Promise<void>;

  // tasks
  addTasks(runId: string, options: Actor & { drafts: TaskDraft[]; planned: boolean }): Promise<Task[]>;
  getTask(id: string): Promise<Task | null>;
  /** By id, `run/key`, key (if unique among unsettled runs, newest run first) or unique id prefix/suffix ≥ 6 chars. @throws NOT_FOUND, AMBIGUOUS */
  findTask(reference: string, options?: { runId?: string }): Promise<Task>;
  listTasks(filter: {
    runId?: string;
    status?: TaskStatus[];
    role?: string;
    parentId?: string;
    cursor?: string;
    limit?: number;
  }): Promise<Page<Task>>;
  dependencies(runId: string): Promise<{ taskId: string; dependsOnId: string }[]>;
  attempts(taskId: string): Promise<Attempt[]>;
  /** Open or closed attempts by run; newest last. */
  listAttempts(filter: { runId?: string; sessionId?: string; open?: boolean }): Promise<Attempt[]>;
  sessions(filter: {
    runId?: string;
    workerId?: string;
    host?: string;
    live?: boolean;
  }): Promise<AgentSession[]>;
  history(entity: { machine?: StoredEvent['machine']; entityId: string }): Promise<StoredEvent[]>;
  explain(taskId: string): Promise<Explanation>;
  cancelTask(taskId: string, by: Actor): Promise<Task>;
  /** FAILED→OPEN: grants one try; reopens the run. */
  retryTask(taskId: string, by: Actor): Promise<Task>;
  unblockTask(taskId: string, by: Actor): Promise<Task>;
  verdicts(taskId: string): Promise<StoredVerdict[]>;
  landings(filter: {
    runId?: string;
    taskId?: string;
  }): Promise<{ taskId: string; attemptId: string; commit: string; tree: string; confirmedAt: Date }[]>;

  // claims and leases
  claimBatch(request: ClaimRequest): Promise<Claim | null>;
  claimTask(taskId: string, request: Omit<ClaimRequest, 'maxTasks' | 'runId'>): Promise<Claim | null>;
  record(fact: Fact, by: { actor: string; commandId?: string }): Promise<RecordOutcome>;
  /** Attempt ids: those lost to another holder or the sweeper, and those whose task shall be cancelled. */
  renewLeases(options: {
    workerId: string;
    leaseMs: number;
  }): Promise<{ lost: string[]; cancelRequested: string[] }>;
  /** Lapsed leases → OPEN or ORPHANED (machines.md §3 "process died or lease lapsed"), due `not_before`, cancels without a holder, retry back-off. */
  sweep(options: {
    actor: string;
    /** How long holders lease; 120 000 when left out. */ leaseMs?: number;
  }): Promise<{ expired: string[]; orphaned: string[]; woken: number; cancelled: number }>;
  /** ORPHANED attempts whose settlement this worker may do (own host first, anyone after one lease), taken under a new fence. */
  takeOrphans(options: {
    workerId: string;
    host: string;
    leaseMs: number;
    runId?: string;
  }): Promise<{ run: Run; repo: Repo; task: Task; attempt: Attempt; session: AgentSession | null }[]>;

  // what agents stream
  appendAgentEvents(
    items: { sessionId: string; attemptId: string | null; event: AgentEvent; at: Date }[],
  ): Promise<void>;
  agentEvents(filter: {
    sessionId?: string;
    attemptId?: string;
    taskId?: string;
    after?: string;
    limit?: number;
  }): Promise<{ id: string; sessionId: string; attemptId: string | null; event: AgentEvent; at: Date }[]>;
  /** Never fenced; booked once per (attempt, offset). Settles the reservation. `capReached`: the run's budget is spent. */
  recordUsage(item: {
    attemptId: string;
    offset: number;
    usage: Usage;
    costMicroUsd: number;
  }): Promise<{ capReached: boolean; spentMicroUsd: number }>;
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
    }[]
  >;
  touchSession(sessionId: string, options: { activity?: string; lastSignAt: Date }): Promise<void>;
  setSalvage(holding: Holding, ref: string): Promise<void>;

  // the second queue: DONE → landed
  /** Lanes with DONE work that this worker could hold. */
  openLanes(options: { host: string; runId?: string }): Promise<{ repoId: string; target: string }[]>;
  acquireLane(options: {
    repoId: string;
    target: string;
    workerId: string;
    leaseMs: number;
  }): Promise<Lane | null>;
  renewLane(lane: Lane, leaseMs: number): Promise<boolean>;
  releaseLane(lane: Lane): Promise<void>;
  /** The next DONE attempt of the lane in landing order (turn VERIFYING), under a new fence, or null. */
  takeForLanding(lane: Lane, options: { runId?: string }): Promise<LandingWork | null>;
  findVerdict(key: { tree: string; checksHash: string }): Promise<StoredVerdict | null>;
  saveVerdict(options: { holding: Holding; checksHash: string; verdict: Verdict }): Promise<string>;
  /** Checks fence, epoch, verdict for this tree and approval in one statement, and writes the intent. Null: refused (lost). */
  writeIntent(options: {
    lane: Lane;
    holding: Holding;
    verdictId: string;
    fromCommit: string;
    candidateCommit: string;
    tree: string;
    holder: OpenIntent['holder'];
  }): Promise<string | null>;
  openIntents(lane: Lane): Promise<OpenIntent[]>;
  /** DONE→CLOSED, VERIFYING→COMPLETING→REAPED, dependents released, landing confirmed: one statement. */
  confirmLanding(landingId: string, by: { actor: string }): Promise<{ taskId: string; released: number }>;
  abandonIntent(landingId: string, reason: string): Promise<void>;
  /** What a waiting lane says in `explain`: lane, conflict, checkout_dirty. */
  noteLaneWait(lane: Lane, options: { cause: 'checkout_dirty' | null; text: string | null }): Promise<void>;

  // approvals
  approvals(filter: { runId?: string; status?: Approval['status'] }): Promise<Approval[]>;
  /** PENDING_APPROVAL⇒DONE for yes, then →FAILED for no, in one transaction. @throws CONFLICT on a used nonce or a void approval */
  decideApproval(id: string, options: Actor & { approve: boolean; nonce: string }): Promise<Task>;

  // workers
  registerWorker(worker: Omit<Worker, 'status' | 'heartbeatAt'>): Promise<Worker>;
  heartbeatWorker(id: string): Promise<Worker['status']>;
  setWorkerStatus(id: string, status: Worker['status'], by: Actor): Promise<void>;
  workers(): Promise<Worker[]>;

  // the feed
  /** Numbers committed events; one process at a time by advisory lock. Returns how many. */
  sequence(): Promise<number>;
  readFeed(options: { after: number; limit: number; runId?: string }): Promise<StoredEvent[]>;
  feedPosition(): Promise<number>;
  /** Calls `wake` (coalesced) when work or events appear, and polls: polling is the truth. Returns how to stop. */
  onWake(channel: 'work' | 'events', wake: () => void): Promise<() => Promise<void>>;
  getCursor(name: string): Promise<number>;
  setCursor(name: string, position: number): Promise<void>;

  // inbox
  /** Inbox row and tasks in one transaction; a redelivery answers as before and does nothing. */
  acceptDelivery(options: {
    event: TriggerEvent;
    matches: {
      rule: string;
      repo: Repo | { location: string; host: string | null };
      target: string;
      baseCommit: string | null;
      draft: TaskDraft;
      planned: boolean;
    }[];
  }): Promise<{ duplicate: boolean; taskIds: string[] }>;
  deliveries(options: {
    limit: number;
  }): Promise<
    { id: string; source: string; deliveryId: string; kind: string; receivedAt: Date; taskIds: string[] }[]
  >;
  /** Tasks that these rules made and that are not settled or start (or started) after `since`: what their limits count. */
  triggeredTasks(options: {
    rules: string[];
    since: Date;
  }): Promise<{ rule: string; createdAt: Date; notBefore: Date | null; settled: boolean }[]>;

  // keys
  createApiKey(key: {
    id: string;
    name: string;
    hash: string;
    prefix: string;
    scopes: string[];
  }): Promise<void>;
  apiKeyByHash(hash: string): Promise<{ id: string; name: string; scopes: string[] } | null>;
  listApiKeys(): Promise<
    { id: string; name: string; prefix: string; scopes: string[]; createdAt: Date; revokedAt: Date | null }[]
  >;
  revokeApiKey(id: string): Promise<void>;

  // audit
  /** Recomputes the hash chains; lists breaks. */
  verifyAudit(): Promise<{
    events: number;
    entities: number;
    broken: { machine: string; entityId: string; seq: number; what: string }[];
  }>;
  counts(runId?: string): Promise<Record<string, number>>;
}
