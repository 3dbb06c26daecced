import type { Verdict } from '@baton/contracts';
import type { Speaker } from '../model/requests.ts';
import type { Holding, Task } from '../model/task.ts';
import type {
  Approval,
  Lane,
  LandingWork,
  LostHead,
  OpenIntent,
  PullRequest,
  RequestNote,
  StoredVerdict,
} from '../model/landing.ts';
import type { WorkUnderWay } from '../model/expected-conflict.ts';
import type { HeadPlace } from '../model/head-place.ts';
import type { LaneWaitCause } from '../model/explanation.ts';

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
  /**
   * Work that has not landed on the targets for which agents of a worker are at work: theirs and that of others, finished or not. The
   * oldest first, at most 64.
   */
  underWay(workerId: string): Promise<WorkUnderWay[]>;
  acquire(options: {
    repoId: string;
    target: string;
    workerId: string;
    leaseMs: number;
  }): Promise<Lane | null>;
  renew(lane: Lane, leaseMs: number): Promise<boolean>;
  release(lane: Lane): Promise<void>;
  /**
   * Releases a lane and lets its epochs continue above one that the target's repository has: the database was restored from an older dump.
   * False: the lane has another holder by now, which is the one with the newer epoch.
   */
  catchUp(lane: Lane, epoch: number): Promise<boolean>;
  /**
   * The next DONE attempt of the lane in landing order (turn VERIFYING), under a new fence, or null; with a host, only what can be read
   * there. `besides`: ids of attempts that the holder has taken already and lands together with this one.
   */
  takeForLanding(
    lane: Lane,
    options: { runId?: string; host?: string; besides?: readonly string[] },
  ): Promise<LandingWork | null>;
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
  /** DONE work that no worker could read for `waitMs`, or whose host is silent for as long, under a new fence: to be tried again. */
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
  /**
   * Checks fences, epoch, verdicts and approvals in one statement, and writes the intents of a train, or of one: members in the order of
   * their commits, each on the one before, with verdicts for the tree of the last. Gives their ids in this order, or null: refused, since
   * one of them may not land or the lane has open intents.
   */
  writeIntents(options: {
    lane: Lane;
    members: readonly { holding: Holding; verdictId: string; candidateCommit: string }[];
    /** Head of the target that the first member was made on. */
    fromCommit: string;
    /** Tree of the last member: what the target holds afterwards. */
    tree: string;
    holder: OpenIntent['holder'];
  }): Promise<string[] | null>;
  /** In the order of their train. */
  openIntents(lane: Lane): Promise<OpenIntent[]>;
  /** DONE→CLOSED, VERIFYING→COMPLETING→REAPED, dependents released, landing confirmed: one statement. */
  confirm(landingId: string, by: { actor: string }): Promise<{ taskId: string; released: number }>;
  abandon(landingId: string, reason: string): Promise<void>;
  /** Keeps in a task's history, as a note without effect, why a verification of it came to nothing. */
  noteUnlanded(taskId: string, note: { actor: string; reason: string }): Promise<void>;
  /** What a waiting lane says in `explain`. */
  noteWait(lane: Lane, options: { cause: LaneWaitCause | null; text: string | null }): Promise<void>;
}

/** Finished work that somebody merges at a code host (docs/spec/landing.md#pull-requests). */
export interface PullRequestsApi {
  /**
   * Writes down what became of the request of a DONE attempt; the first note makes it, and there is one for each attempt.
   * @returns it, or null: the attempt has another holder, or has ended
   */
  note(holding: Holding, note: RequestNote): Promise<PullRequest | null>;
  /** Of a run, oldest first, with the key and the status of the task. */
  list(runId: string): Promise<(PullRequest & { key: string; status: string })[]>;
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
   * PENDING_APPROVAL⇒DONE for yes, then →FAILED for no, in one transaction; a "no" with words then →OPEN while tries are left,
   * and they are a reason of the rejection. @throws CONFLICT on a used nonce or a void approval
   */
  decide(id: string, options: Speaker & { approve: boolean; nonce: string }): Promise<Task>;
}
