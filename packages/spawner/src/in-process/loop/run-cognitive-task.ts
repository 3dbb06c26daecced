import { cognitiveMachine, isTerminal, type CognitiveTask } from '@baton/fsm-core';
import { loopDetector } from '../../supervise/loops.ts';
import { act } from './act.ts';
import { withMessage } from './messages.ts';
import {
  CognitiveFailure,
  openMind,
  type CognitiveEnd,
  type CognitiveOptions,
  type Failure,
  type Mind,
} from './mind.ts';
import { hear, reason } from './reason.ts';
import { reflectOn } from './reflect.ts';

/**
 * Drives a model through the cognitive machine until the task is completed, failed or suspended: it reasons, acts with
 * tools, and responds. A task that was suspended, or whose process died, continues from its last checkpoint.
 *
 * @param begun A new task (`createCognitiveTask`), or one made of a replayed log.
 */
export async function runCognitiveTask(
  begun: CognitiveTask,
  options: CognitiveOptions,
): Promise<CognitiveEnd> {
  const mind = openMind(begun, options);
  let failure: Failure | null = null;
  try {
    await enter(mind);
    await loop(mind);
  } catch (error) {
    failure = await stop(mind, error);
  }
  const reflection = isDone(mind) && options.reflect === true ? await reflectOn(mind) : null;
  return { ...endOf(mind, failure), reflection };
}

async function enter(mind: Mind): Promise<void> {
  const { state, context } = mind.task().snapshot;
  if (state === 'idle') {
    mind.note({ messages: withMessage([], { role: 'user', content: context.inputText }) });
    await mind.move('TASK_CREATED', 'the task begins');
  } else if (state === 'suspended') {
    const { answer } = mind.options;
    if (answer !== undefined) await hear(mind, answer);
    else if (
      (context.reasoning as { asked?: unknown } | null)?.asked === undefined ||
      context.suspendedState === 'acting'
    )
      await mind.move('TASK_RESUMED', 'it goes on');
  }
}

async function loop(mind: Mind): Promise<void> {
  const loops = loopDetector();
  for (;;) {
    const { state } = mind.task().snapshot;
    if (isTerminal(cognitiveMachine, state) || state === 'suspended') return;
    mind.options.signal.throwIfAborted();
    if (state === 'reasoning') {
      await reason(mind);
      continue;
    }
    const use = await act(mind);
    if (use === null) continue;
    const { verdict, what } = loops.see(use);
    if (verdict !== 'fine') mind.options.onEvent({ type: 'message', kind: 'notice', text: `Loop: ${what}` });
    if (verdict === 'end')
      throw new CognitiveFailure({ summary: `It went in circles: ${what}.`, abortReason: 'unknown' });
  }
}

/** An abort suspends, so that nothing is lost; anything else fails the task. */
async function stop(mind: Mind, error: unknown): Promise<Failure> {
  const { signal } = mind.options;
  const summary = error instanceof Error ? error.message : String(error);
  if (signal.aborted) {
    const reason = typeof signal.reason === 'string' ? signal.reason : 'it was stopped';
    const { state } = mind.task().snapshot;
    if (state === 'reasoning' || state === 'acting') await mind.move('TASK_SUSPENDED', reason);
    return { outcome: 'suspended', summary: reason, abortReason: null, resetAt: null };
  }
  if (!(error instanceof CognitiveFailure)) throw error;
  if (!isTerminal(cognitiveMachine, mind.task().snapshot.state)) await mind.move('TASK_FAILED', summary);
  return error.failure;
}

function isDone(mind: Mind): boolean {
  return mind.task().snapshot.state === 'completed';
}

function endOf(mind: Mind, failure: Failure | null): Omit<CognitiveEnd, 'reflection'> {
  const task = mind.task();
  if (failure !== null) return { task, ...failure };
  const { finalResult, suspendReason, error } = task.snapshot.context;
  const ended = { task, abortReason: null, resetAt: null };
  const { state } = task.snapshot;
  if (state === 'completed')
    return { ...ended, outcome: 'done', summary: typeof finalResult === 'string' ? finalResult : '' };
  if (state === 'failed') return { ...ended, outcome: 'failed', summary: error ?? '' };
  return { ...ended, outcome: 'suspended', summary: suspendReason ?? '' };
}
