import { runRouting, type Reviewer } from '@baton/contracts';
import { signalName } from '@baton/janitor';
import type { Run, Task } from '@baton/task-store';

/** What a reviewer is asked of one change. */
export interface Question {
  /** By which its answer is known, in the attempt and in verdicts. */
  name: string;
  text: string;
  /** A yes or no that the reviewer is less sure of is left to a person. */
  minConfidence: number;
}

/** Name of the question that every change is asked. */
export const reviewCheckName = 'review';
const leastConfidence = 0.5;

/** Who reviews the work of a run; null: there is none. Pure. */
export function reviewerOf({ routing }: Pick<Run, 'routing'>): Reviewer | null {
  return runRouting.safeParse(routing ?? {}).data?.reviewer ?? null;
}

/** What has to be asked of the work of a task: that of its run, then its own signals. Pure. */
export function reviewQuestions({
  run,
  task,
}: {
  run: Pick<Run, 'routing'>;
  task: Pick<Task, 'signals'>;
}): Question[] {
  const reviewer = reviewerOf(run);
  const own = task.signals.flatMap((signal): Question[] => {
    if (signal.type === 'llm_review')
      return [{ name: signalName(signal), text: signal.prompt, minConfidence: leastConfidence }];
    if (signal.type === 'llm_judge')
      return [{ name: signalName(signal), text: signal.criteria, minConfidence: signal.min_confidence }];
    return [];
  });
  if (reviewer === null || (reviewer.tasks === 'signals' && own.length === 0)) return own;
  const looks = reviewer.prompt === undefined ? [] : [`Look at this: ${reviewer.prompt}`];
  const text = [
    'The change does what its task asks, wholly and rightly; it breaks nothing that worked, and its tests would fail if it were wrong.',
    ...looks,
  ].join(' ');
  return [{ name: reviewCheckName, text, minConfidence: leastConfidence }, ...own];
}
