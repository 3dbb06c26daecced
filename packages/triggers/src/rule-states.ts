import type { RuleState } from './evaluate.ts';

/** A task that a rule made, as far as later decisions need it. */
export interface TriggeredTask {
  /** `source.by` of the task. */
  rule: string;
  createdAt: Date;
  notBefore: Date | null;
  settled: boolean;
}

/**
 * What {@link evaluate} needs to know of each rule, from the tasks that the rules made so far. A task that was made after `now` was made
 * by a clock that was ahead: it is open as others are, but its time holds nothing back.
 */
export function ruleStates(tasks: Iterable<TriggeredTask>, now: Date): Record<string, RuleState> {
  const states = new Map<string, { openTasks: number; startsAt: Date[] }>();
  for (const task of tasks) {
    const state = states.get(task.rule) ?? { openTasks: 0, startsAt: [] };
    state.openTasks += task.settled ? 0 : 1;
    const { createdAt, notBefore } = task;
    if (createdAt <= now)
      state.startsAt.push(notBefore !== null && notBefore > createdAt ? notBefore : createdAt);
    states.set(task.rule, state);
  }
  return Object.fromEntries(states);
}
