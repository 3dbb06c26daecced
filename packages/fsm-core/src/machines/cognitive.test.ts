import { describe, expect, test } from 'vitest';
import { advanced, planOf, TO_ACTING, taskAfter } from '../../test/cognitive-support.ts';
import { input } from '../../test/support.ts';
import { advanceTask, can, cognitiveMachine, createCognitiveTask, decide } from '../index.ts';

const stepEvents = ['TOOL_CALL_COMPLETED', 'TOOL_CALL_FAILED', 'STEP_COMPLETED'] as const;

describe.each(stepEvents)('acting on %s', (type) => {
  const routed = (plan: ReturnType<typeof planOf> | null) =>
    advanced(taskAfter(TO_ACTING, { plan }), type).task.snapshot.state;

  test('stays acting while a step is open, and records the move onto itself', () => {
    const { task, decision } = advanced(
      taskAfter(TO_ACTING, { plan: planOf('tool_call!', 'respond') }),
      type,
    );
    expect(task.snapshot).toMatchObject({ state: 'acting', seq: 3 });
    expect(decision.record).toMatchObject({ from: 'acting', to: 'acting', event: type });
  });

  test('goes back to reasoning when the plan holds any tool call', () => {
    expect(routed(planOf('tool_call!'))).toBe('reasoning');
    expect(routed(planOf('tool_call!', 'respond!'))).toBe('reasoning');
  });

  test('completes when no step was a tool call', () => {
    expect(routed(planOf('respond!'))).toBe('completed');
    expect(routed(planOf('respond!', 'generate!'))).toBe('completed');
  });

  test('completes on a missing or empty plan', () => {
    expect(routed(null)).toBe('completed');
    expect(routed(planOf())).toBe('completed');
  });
});

describe('suspending', () => {
  test.each(['NEED_MORE_INFO', 'TASK_SUSPENDED'] as const)(
    'by %s stores the state and the reason',
    (type) => {
      const { context } = advanced(taskAfter(['TASK_CREATED']), type).task.snapshot;
      expect(context).toMatchObject({ suspendedState: 'reasoning', suspendReason: 'because' });
    },
  );

  test('is legal from reasoning and acting only', () => {
    const legal = cognitiveMachine.states.filter((state) => can(cognitiveMachine, state, 'TASK_SUSPENDED'));
    expect(legal).toEqual(['reasoning', 'acting']);
  });

  test.each(['reasoning', 'acting'] as const)('from %s, resuming returns there', (state) => {
    const before = taskAfter(state === 'acting' ? TO_ACTING : ['TASK_CREATED']);
    expect(advanced(before, 'TASK_SUSPENDED', 'TASK_RESUMED').task.snapshot.state).toBe(state);
  });

  test('with nothing stored resumes reasoning; with a foreign state stored it is refused', () => {
    const stored = (suspendedState: string | null) => {
      const context = { ...cognitiveMachine.emptyContext, suspendedState };
      const snapshot = { entityId: 'c', state: 'suspended', seq: 1, context } as const;
      const decision = decide(cognitiveMachine, snapshot, { ...input, type: 'TASK_RESUMED' });
      return decision.ok ? decision.snapshot.state : decision.code;
    };
    expect(stored(null)).toBe('reasoning');
    expect(stored('idle')).toBe('illegal');
  });

  test.each(['MESSAGE_RECEIVED', 'TASK_RESUMED', 'TASK_FAILED'] as const)(
    'is over after %s: both fields are cleared',
    (type) => {
      const { context } = advanced(taskAfter(TO_ACTING), 'TASK_SUSPENDED', type).task.snapshot;
      expect(context).toMatchObject({ suspendedState: null, suspendReason: null });
    },
  );

  test('ends in reasoning when a message arrives, whatever was stored', () => {
    expect(advanced(taskAfter(TO_ACTING), 'TASK_SUSPENDED', 'MESSAGE_RECEIVED').task.snapshot.state).toBe(
      'reasoning',
    );
  });
});

describe('failing', () => {
  test('is legal from all four states that are not terminal', () => {
    const legal = cognitiveMachine.states.filter((state) => can(cognitiveMachine, state, 'TASK_FAILED'));
    expect(legal).toEqual(['idle', 'reasoning', 'acting', 'suspended']);
  });

  test('keeps the first error and otherwise takes the event’s reason', () => {
    expect(advanced(taskAfter(['TASK_CREATED']), 'TASK_FAILED').task.snapshot.context.error).toBe('because');
    const known = taskAfter(['TASK_CREATED'], { error: 'model unreachable' });
    expect(advanced(known, 'TASK_FAILED').task.snapshot.context.error).toBe('model unreachable');
  });
});

describe('a cognitive task', () => {
  test('starts idle with its defaults and the input that made it', () => {
    expect(createCognitiveTask({ taskId: 'c1', at: 5, source: 'cli' })).toMatchObject({
      taskId: 'c1',
      snapshot: {
        state: 'idle',
        seq: 0,
        context: { inputText: '', inputMetadata: {}, source: 'cli', messages: [] },
      },
      history: [],
      createdAt: 5,
      updatedAt: 5,
      priority: 100,
      metadata: {},
    });
  });

  test('runs a tool round and an answer to its end and keeps every transition', () => {
    const toolDone = advanced(
      taskAfter(TO_ACTING, { plan: planOf('tool_call!') }),
      'TOOL_CALL_COMPLETED',
      'REASON_DONE',
    );
    const answered = { ...toolDone.task, snapshot: { ...toolDone.task.snapshot } };
    const context = { ...answered.snapshot.context, plan: planOf('respond!') };
    const end = advanced({ ...answered, snapshot: { ...answered.snapshot, context } }, 'STEP_COMPLETED').task;
    expect(end.history.map(({ fromState, toState }) => `${fromState} ${toState}`)).toEqual([
      'idle reasoning',
      'reasoning acting',
      'acting reasoning',
      'reasoning acting',
      'acting completed',
    ]);
    expect(end.history[0]).toMatchObject({
      triggerEventType: 'TASK_CREATED',
      triggerEventId: 'ev-TASK_CREATED',
    });
    expect(end.updatedAt).toBe(input.at);
  });

  test('is not changed by an event it does not accept', () => {
    const task = taskAfter([]);
    expect(advanceTask(task, { ...input, type: 'REASON_DONE' })).toEqual({ ok: false, code: 'illegal' });
    const failed = advanced(task, 'TASK_FAILED').task;
    expect(advanceTask(failed, { ...input, type: 'TASK_FAILED' })).toEqual({ ok: false, code: 'terminal' });
  });
});
