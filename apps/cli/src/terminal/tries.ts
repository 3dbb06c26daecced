import type { Attempt, Task } from '@baton/task-store';

/** States in which an attempt is under way or has ended well: its try has begun and is not among those that counted. */
const inATry: readonly Task['status'][] = [
  'CLAIMED',
  'IN_PROGRESS',
  'DONE',
  'PENDING_APPROVAL',
  'WAITING_FOR_SUBTASKS',
  'ORPHANED',
  'CLOSED',
];

/** How many tries of a task have begun, and how many it may have. An attempt that did not count is none. */
export interface Tries {
  /** Counts from 1; 0: none has begun. */
  tries: number;
  /** One, its retries, and what people granted beyond them. */
  maxTries: number;
}

type Counted = Pick<Task, 'tries' | 'maxRetries' | 'grantedTries' | 'status'>;

/** The tries of a task, the one under way among them. */
export function triesOf({ tries, maxRetries, grantedTries, status }: Counted): Tries {
  const begun = tries + (inATry.includes(status) ? 1 : 0);
  return { tries: begun, maxTries: Math.max(begun, 1 + maxRetries + grantedTries) };
}

/** `1 of 4`. */
export function triesText(task: Counted): string {
  const { tries, maxTries } = triesOf(task);
  return `${tries} of ${maxTries}`;
}

/** Which try an attempt was: null for one that ended and did not count. */
export function tryNumber(attempt: Attempt, attempts: readonly Attempt[]): number | null {
  const landed = attempt.outcome === null || attempt.outcome === 'done';
  if (!attempt.counted && !landed) return null;
  const before = attempts.filter(
    (other) => other.taskId === attempt.taskId && other.counted && other.number < attempt.number,
  );
  return before.length + 1;
}
