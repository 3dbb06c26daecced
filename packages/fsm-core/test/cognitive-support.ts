import { advanceTask, createCognitiveTask, withContext } from '../src/index.ts';
import type { AdvancedTask, CognitiveEvent, CognitiveTask, Plan, TaskContext } from '../src/index.ts';
import { deepFreeze, input } from './support.ts';

type CognitiveEventName = CognitiveEvent['type'];

/** A plan whose steps are written as `tool_call` (open) or `tool_call!` (completed). */
export function planOf(...steps: string[]): Plan {
  return deepFreeze({
    goal: 'goal',
    reasoning: 'why',
    steps: steps.map((step, index) => ({
      index,
      description: step,
      actionType: step.replace('!', ''),
      actionParams: {},
      completed: step.endsWith('!'),
    })),
  });
}

/** Moves a task through events that must all be legal. */
export function advanced(task: CognitiveTask, ...events: CognitiveEventName[]): AdvancedTask {
  let last: AdvancedTask | undefined;
  for (const type of events) {
    const result = advanceTask(last?.task ?? task, { ...input, type, id: `ev-${type}` });
    if (!result.ok) throw new Error(`${type} is ${result.code}`);
    last = result;
  }
  if (last === undefined) throw new Error('no event given');
  return last;
}

/** A fresh task; with events, moved through them; the context applied at the end. */
export function taskAfter(events: CognitiveEventName[], context: Partial<TaskContext> = {}): CognitiveTask {
  const fresh = createCognitiveTask({ taskId: 'c1', at: 1, source: 'cli', text: 'do it' });
  return deepFreeze(withContext(events.length === 0 ? fresh : advanced(fresh, ...events).task, context));
}

/** Events that bring a fresh task to acting. */
export const TO_ACTING = ['TASK_CREATED', 'REASON_DONE'] satisfies CognitiveEventName[];
