import type { TaskDraft, TriggerEvent, Verdict } from '@baton/contracts';
import type { ReplayResult } from '@baton/fsm-core';
import type { Actor, RunDefaults, Speaker } from './requests.ts';
import type {
  Approval,
  AuditBreak,
  AuditHead,
  HeadPlace,
  Holding,
  FeedEvent,
  Lane,
  LandingWork,
  LostHead,
  OpenIntent,
  Repo,
  StoredEvent,
  StoredVerdict,
  Task,
  WithdrawnAgent,
  Worker,
  LaneWaitCause,
} from './types.ts';

/** The second queue: DONE → landed. */
export interface LanesApi {
  /** Lanes with DONE work of a host; with a worker, only work whose head that worker can read, as far as is known. */
  open(options: {
    host: string;
    runId?: string;
    workerId?: string;
  }): Promise<{ repoId: string; target: string }[]>;
  /**
   * Ids of the runs that a registered worker takes nothing more of for now, since too much that it could land waits for that: more
   * than twice its capacity, and than 8, with the agents that it has at work (docs/spec/landing.md#back-pressure).
   */
  landingBehind(workerId: string): Promise<string[]>;
  acquire(options: {
    repoId: string;
    target: string;
    workerId: string;
    leaseMs: number;
  }): Promise<Lane | null>;
  renew(lane: Lane, leaseMs: number): Promise<boolean>;
  release(lane: Lane): Promise<void>;
  /** The next DONE attempt of the lane in landing order (turn VERIFYING), under a new fence, or null; with a host, only what can be read there. */
  takeForLanding(lane: Lane, options: { runId?: string; host?: string }): Promise<LandingWork | null>;
  /** Writes down where the head of an attempt can be read, before it is DONE. False: it has another holder, or has ended. */
  placeHead(holding: Holding, place: HeadPlace): Promise<boolean>;
  /**
   * Gives a DONE attempt back that this worker cannot land, and says why; others may take it at once, this one after `pauseMs`.
   * `isUnreadable`: it was the head that could not be read. False: it has another holder.
   */
  headMissed(
    holding: Holding,
    options: { workerId: string; text: string; pauseMs: number; isUnreadable: boolean },
  ): Promise<boolean>;
  /** A DONE attempt's head has been read: forgets who could not. */
  headFound(holding: Holding): Promise<void>;
  /** DONE work that nobody could read for `waitMs`, or whose host is silent for as long, under a new fence: to be tried again. */
  takeLostHeads(options: {
    workerId: string;
    host: string;
    leaseMs: number;
    runId?: string;
    waitMs: number;
  }): Promise<LostHead[]>;
  /** The newest yes on a tree by these checks, or null: a "no" never outlives its attempt. */
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
  confirm(landingId: string, by: { actor: string }): Promise<{ taskId: string; released: number }>;
  abandon(landingId: string, reason: string): Promise<void>;
  /** What a waiting lane says in `explain`. */
  noteWait(lane: Lane, options: { cause: LaneWaitCause | null; text: string | null }): Promise<void>;
}

/** Approvals by people. */
export interface ApprovalsApi {
  /** Oldest first; `after`: only those after this one. */
  list(filter: {
    runId?: string;
    status?: Approval['status'];
    after?: string;
    limit?: number;
  }): Promise<Approval[]>;
  /**
   * PENDING_APPROVAL⇒DONE for yes, then →FAILED for no, in one transaction; a "no" with words goes on →OPEN while tries are left,
   * and they are a reason of the rejection. @throws CONFLICT on a used nonce or a void approval
   */
  decide(id: string, options: Speaker & { approve: boolean; nonce: string }): Promise<Task>;
}

/** Registered nodes. */
export interface WorkersApi {
  register(worker: Omit<Worker, 'status' | 'heartbeatAt' | 'withdrawn'>): Promise<Worker>;
  heartbeat(id: string): Promise<Worker['status']>;
  /**
   * `draining`: from the moment that this has come back no claim of the worker takes anything; one that is offline stays so.
   * `offline` also frees the worker's lanes and what it had taken to land or to settle: only for one that is gone. @throws NOT_FOUND
   */
  setStatus(id: string, status: Worker['status'], by: Actor): Promise<void>;
  list(): Promise<Worker[]>;
  /** Which agents a worker cannot start at present, in place of those said before. */
  setWithdrawn(id: string, withdrawn: readonly WithdrawnAgent[]): Promise<void>;
}

/** The feed of events. */
export interface FeedApi {
  /** Numbers committed events; one process at a time by advisory lock. Returns how many changes. */
  sequence(): Promise<number>;
  read(options: { after: number; limit: number; runId?: string }): Promise<FeedEvent[]>;
  position(): Promise<number>;
  /** Calls `wake` (coalesced) when work or events appear, and polls: polling is the truth. Returns how to stop. */
  onWake(channel: 'work' | 'events', wake: () => void): Promise<() => Promise<void>>;
  getCursor(name: string): Promise<number>;
  setCursor(name: string, position: number): Promise<void>;
}

/** Deliveries from outside. */
export interface InboxApi {
  /**
   * Inbox row and tasks in one transaction; a redelivery answers as before and makes nothing. The standing runs of the rules
   * take their `defaults` on, and go on when they had ended; a paused one waits.
   */
  accept(options: {
    event: TriggerEvent;
    matches: {
      rule: string;
      repo: Repo | { location: string; host: string | null };
      target: string;
      baseCommit: string | null;
      draft: TaskDraft;
      planned: boolean;
      /** What the rule's standing run is carried out with; absent: as before, for a new one without gates or agents. */
      defaults?: RunDefaults;
    }[];
  }): Promise<{ duplicate: boolean; taskIds: string[] }>;
  /** Newest first; `after`: only those before this one in time. */
  deliveries(options: {
    limit: number;
    after?: string;
  }): Promise<
    { id: string; source: string; deliveryId: string; kind: string; receivedAt: Date; taskIds: string[] }[]
  >;
  /** Tasks that these rules made and that are not settled or start (or started) after `since`: what their limits count. */
  triggeredTasks(options: {
    rules: string[];
    since: Date;
  }): Promise<{ rule: string; createdAt: Date; notBefore: Date | null; settled: boolean }[]>;
}

/** API keys. */
export interface KeysApi {
  create(key: { id: string; name: string; hash: string; prefix: string; scopes: string[] }): Promise<void>;
  byHash(hash: string): Promise<{ id: string; name: string; scopes: string[] } | null>;
  list(): Promise<
    { id: string; name: string; prefix: string; scopes: string[]; createdAt: Date; revokedAt: Date | null }[]
  >;
  /** @throws NOT_FOUND */
  revoke(id: string): Promise<void>;
}

/** Checks and figures. */
export interface AuditApi {
  /**
   * Recomputes the log's chain and compares it with the events, and these with one another and with the rows; lists breaks.
   * `heads` finds what was rewritten or cut off since they were taken, `archiveDir` checks the archived events, too.
   * @throws RECORD_FILE_INVALID
   */
  verify(options?: { heads?: readonly AuditHead[]; archiveDir?: string }): Promise<{
    events: number;
    entities: number;
    /** Events that have left for the archive, and how many of them were found there. */
    archived: number;
    archiveChecked: number;
    headsChecked: number;
    /** Where the log ends; null: nothing was logged yet. */
    head: AuditHead | null;
    /** Committed events that the log does not prove yet, and the age of the oldest in milliseconds (null: none). */
    unlogged: { events: number; oldestMs: number | null };
    broken: AuditBreak[];
  }>;
  counts(runId?: string): Promise<Record<string, number>>;
}

/** What leaves the database. */
export interface ArchiveApi {
  /**
   * Moves the events of entities that have been at rest for so long, all but the newest of each, into files of `dir`. What some
   * reader of the feed has not read yet stays; `slowestReader` is the one who has read least.
   */
  write(options: { dir: string; olderThanMs: number; dryRun?: boolean }): Promise<{
    entities: number;
    events: number;
    files: string[];
    slowestReader: { name: string; position: number } | null;
  }>;
  /**
   * Deletes streams of agents that ended, checkpoint logs of attempts whose task is settled, and answers of commands, older than
   * that; what is left out stays. Returns how many.
   */
  prune(options: {
    agentEventsMs?: number;
    checkpointsMs?: number;
    commandsMs?: number;
  }): Promise<{ agentEvents: number; checkpoints: number; commands: number }>;
  /**
   * Folds a history by the kernel, from where its archived part ends: where the entity stands, or what is wrong with its moves.
   * Null: nothing is recorded of it.
   */
  replay(entity: {
    machine: Exclude<StoredEvent['machine'], 'run'>;
    entityId: string;
  }): Promise<ReplayResult | null>;
  /** Where the archived part of a history ends: what `replay` of the rest starts from. Null: nothing was archived. */
  before(entity: {
    machine: StoredEvent['machine'];
    entityId: string;
  }): Promise<{ state: string; seq: number; events: number } | null>;
}

/** The whole store as lines of JSON, for backups and for another database. */
export interface TransferApi {
  /** A head, each table with its rows, an end with count and SHA-256; the same store gives the same lines. */
  exportLines(): AsyncGenerator<string>;
  /**
   * Puts exported lines into this store, which must be empty, whole or not at all; it takes over the exported store's identity,
   * so open it anew afterwards. @throws RECORD_FILE_INVALID, naming `name` and the line; CONFLICT when the store is not empty
   */
  importLines(lines: AsyncIterable<string>, options: { name: string }): Promise<{ rows: number }>;
}
