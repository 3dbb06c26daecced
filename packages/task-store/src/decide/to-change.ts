import type { Change } from './change.ts';
import type { Planned } from './plan-state.ts';
import type { Situation } from './situation.ts';

/** Attempt columns whose setting means that what was reserved for the attempt is no longer needed. */
const freeing = ['endedAt', 'doneAt'] as const;

/** The change that applies a plan, conditional on the very versions and fences that it was decided on. */
export function changeOf(planned: Planned, situation: Situation): Change {
  const { session } = situation;
  const tasks = [...situation.items.map(({ task }) => task), ...situation.others].flatMap((task) => {
    const patch = planned.tasks.get(task.id);
    return patch === undefined ? [] : [{ id: task.id, version: task.version, patch }];
  });
  const attempts = situation.items.map(({ attempt }) => {
    const patch = planned.attempts.get(attempt.id) ?? {};
    const free = freeing.some((column) => patch[column] === 'now');
    const { id, fence, turnSeq, openTools } = attempt;
    return { id, fence, turnSeq, openTools, patch, ...(free ? { free: true as const } : {}) };
  });
  const sessions =
    session === null || planned.session === null
      ? []
      : [
          {
            id: session.id,
            statusSeq: session.statusSeq,
            executionSeq: session.executionSeq,
            patch: planned.session,
          },
        ];
  return { events: planned.events, tasks, attempts, sessions };
}
