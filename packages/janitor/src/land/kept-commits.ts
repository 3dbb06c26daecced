import type { History } from '@baton/contracts';
import type { CommitAuthor } from './commit-tree.ts';
import type { OwnRange } from './own-commits.ts';

/** Text and author of a commit that lands. */
export interface KeptText {
  message: string;
  by: CommitAuthor & { date: string };
}

/** A commit that lands before the last one of its task. */
export interface EarlierCommit extends KeptText {
  tree: string;
}

/** What lands of the commits that an agent made. */
export interface KeptCommits {
  /** Second parent of the commit that lands; null: it has one. */
  merged: string | null;
  /** Commits between the head of the target and the one that lands, oldest first. */
  earlier: readonly EarlierCommit[];
  /** Text and author of the one that lands; null: those of a commit that Baton makes. */
  last: KeptText | null;
}

/** Work whose change is merged onto a target already. */
export interface KeepOptions extends Omit<OwnRange, 'from'> {
  history: History;
  targetHead: string;
  targetTree: string;
  startCommit: string;
  startTree: string;
  /** Tree that lands. */
  tree: string;
  /** Names the commits that Baton made for the task. */
  taskId: string | undefined;
}
