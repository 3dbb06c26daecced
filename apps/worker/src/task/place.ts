import type { ClaimedTask } from '@baton/task-store';

/** Where one task of a batch stands in it. */
export interface Place {
  claimed: ClaimedTask;
  /** Commit that the task starts on: the target as it stands. */
  head: string;
  first: boolean;
}
