import type { HeadPlace } from './head-place.ts';

/** A piece of work that has not landed, as one that looks for conflicts needs it. */
export interface WorkUnderWay {
  attemptId: string;
  taskId: string;
  /** Fence of the attempt; of work that an agent is at, its worktree names it too. */
  fence: number;
  repoId: string;
  /** The target's repository; with `host` null a URL. */
  location: string;
  host: string | null;
  target: string;
  workerId: string | null;
  /** Its worker has given a sign in the last 30 seconds. */
  workerLives: boolean;
  /** The worktree that its agent is in, and on which host; null: the work is finished. */
  place: { host: string; workspace: string } | null;
  /** Ends of the range of finished work; null: an agent is at it. */
  startCommit: string | null;
  headCommit: string | null;
  headPlace: HeadPlace | null;
}

/** What a worker found: the work of an attempt would conflict with that of another one, or (null) with the target as it is. */
export interface ConflictNote {
  attempts: readonly [string, string | null];
  target: string;
  /** The first of the files, by name. */
  files: readonly string[];
  /** How many further files there are. */
  more: number;
  /** When it was first found; ISO 8601. */
  since: string;
}

/** The same, seen from one task. */
export interface ExpectedConflict {
  taskId: string;
  /** Null: with what is on the target already. */
  with: { taskId: string; key: string; run: string; sameRun: boolean } | null;
  target: string;
  files: string[];
  more: number;
  since: Date;
}
