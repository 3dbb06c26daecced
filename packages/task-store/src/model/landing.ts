import type { Verdict } from '@baton/contracts';
import type { Attempt, Task } from './task.ts';
import type { Run, Repo } from './run.ts';

/** A lane's holder: lands on one (repo, target) until its lease lapses; `epoch` grows with each holder. */
export interface Lane {
  id: string;
  repoId: string;
  target: string;
  epoch: number;
  workerId: string;
  leaseExpiresAt: Date;
}

/** A DONE attempt handed to the lane holder under a new fence. */
export interface LandingWork {
  run: Run;
  repo: Repo;
  task: Task;
  attempt: Attempt;
  /** An earlier task of the same batch whose range was rejected, if any; `dependedOn` when this task depends on it. */
  rejectedBefore: { taskId: string; dependedOn: boolean } | null;
  /** A person's valid "yes" for this head, if the task needed one. */
  approved: boolean;
  /** The change that this "yes" was about; null without one. */
  approvedPatchId: string | null;
  /** Some worker could not land it before. */
  missed: boolean;
  /** Its pull request; null: it has none. */
  request: PullRequest | null;
  /** Commits that were pushed, or were to be, for any attempt at the task: what Baton may replace on the branch of its request. */
  pushed: string[];
  /** Numbers of the requests of earlier attempts that somebody merged or closed: none of them is that of this attempt. */
  pastRequests: number[];
}

/**
 * The pull request of an attempt. `opening`: its branch is being pushed, or the host did not answer yet · `open` · `merged`: by somebody;
 * `red` says why the target does not pass with it · `closed`: without a merge.
 */
export interface PullRequest {
  attemptId: string;
  runId: string;
  taskId: string;
  /** Its branch at the remote. */
  branch: string;
  /** All that was ever to be pushed for it, oldest first. */
  commits: string[];
  /** Head of the target that the newest of them was made on. */
  onto: string | null;
  state: 'opening' | 'open' | 'merged' | 'closed';
  number: number | null;
  url: string | null;
  /** Commit on the target that holds it, as the host names it. */
  mergeCommit: string | null;
  /** Why the target does not pass with it; null: it does, or was not asked yet. */
  red: string | null;
  /** Why the last look came to nothing; null: it did not. */
  trouble: string | null;
  /** How many looks in a row came to nothing. */
  troubles: number;
  /** When it is looked at again. */
  lookAt: Date;
  createdAt: Date;
  updatedAt: Date;
}

/** What a look at a pull request came to; what is left out stays as it was. */
export interface RequestNote {
  branch: string;
  state: PullRequest['state'];
  /** One more commit that is to be pushed, and the head of the target that it was made on. */
  commit?: { id: string; onto: string };
  number?: number;
  url?: string;
  mergeCommit?: string;
  /** Why the target does not pass with it; null: it does. */
  red?: string | null;
  /** Why this look came to nothing; null: it did not. */
  trouble: string | null;
  /** Before it is looked at again. */
  lookInMs: number;
  /** True: others may look at it then; false: its holder is not through with it. */
  gives: boolean;
}

/** Finished work whose head no worker could read. */
export interface LostHead {
  run: Run;
  repo: Repo;
  task: Task;
  attempt: Attempt;
  /** What the last one that looked for it met; null: no worker could look. */
  text: string | null;
}

/** A landing whose refs may or may not have moved when its holder died. */
export interface OpenIntent {
  landingId: string;
  laneId: string;
  taskId: string;
  attemptId: string;
  epoch: number;
  fromCommit: string;
  candidateCommit: string;
  tree: string;
  holder: { workerId: string; host: string; pid: number; pidStarted: string; lockFiles: string[] };
}

/** A verdict with the attempt it was made for. */
export interface StoredVerdict extends Verdict {
  id: string;
  attemptId: string;
  taskId: string;
  createdAt: Date;
}

/** Finished work that waits, or waited, for the word of a person. */
export interface Approval {
  id: string;
  runId: string;
  taskId: string;
  attemptId: string;
  reason: string;
  headCommit: string;
  patchId: string;
  status: 'waiting' | 'approved' | 'rejected' | 'void';
  decidedBy: string | null;
  decisionReason: string | null;
  /** Single use; a decision must quote it. */
  nonce: string;
  createdAt: Date;
  decidedAt: Date | null;
}
