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
