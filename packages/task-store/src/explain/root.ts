import type { Explanation } from '../model/explanation.ts';

/** Whether a task waits for others, its parts included: only then something else is at the root of it. */
export const waitsForOthers = ({ cause, also }: Explanation): boolean =>
  [cause, ...also].some((each) => each === 'dependency' || each === 'subtasks');

/** An explanation with that of the task at the root of what it waits for. Pure. Source: docs/explain.md. */
export function withRoot(
  explanation: Explanation,
  root: { key: string; explained: Explanation },
): Explanation {
  const { taskId, cause, text, owner, until, unblock } = root.explained;
  return { ...explanation, root: { taskId, key: root.key, cause, text, owner, until, unblock } };
}
