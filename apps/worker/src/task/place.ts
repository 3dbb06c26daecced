import type { ClaimedTask } from '@baton/task-store';

/** The position of one task in its batch. */
export interface Place {
  claimed: ClaimedTask;
  /** Commit that the task starts on: the head of the target. */
  head: string;
  first: boolean;
}
