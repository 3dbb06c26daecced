import { expect, test } from 'vitest';
import { input, snapshotOf } from '../test/support.ts';
import { recordRefusal, taskMachine, toLifecycleEvent, toStateTransition, transition } from './index.ts';

const { record } = transition(taskMachine, snapshotOf(taskMachine, 'IN_PROGRESS'), {
  ...input,
  type: 'crash',
  id: 'ev9',
  transitionReason: 'aborted',
  abortReason: 'oom',
});

test('a record projects onto the LifecycleEvent of older readers, its time in seconds', () => {
  expect(toLifecycleEvent(record)).toEqual({
    timestamp: 1_700_000_000,
    entity_type: 'task',
    entity_id: 'e1',
    from_status: 'IN_PROGRESS',
    to_status: 'ORPHANED',
    actor: 'test',
    reason: 'because',
    transition_reason: 'aborted',
    abort_reason: 'oom',
  });
});

test('reasons that do not apply project as null', () => {
  const plain = transition(taskMachine, snapshotOf(taskMachine, 'OPEN'), { ...input, type: 'claim' }).record;
  expect(toLifecycleEvent(plain)).toMatchObject({ transition_reason: null, abort_reason: null });
});

test('a record projects onto the StateTransition of older readers', () => {
  expect(toStateTransition(record)).toEqual({
    fromState: 'IN_PROGRESS',
    toState: 'ORPHANED',
    triggerEventType: 'crash',
    triggerEventId: 'ev9',
    timestamp: input.at,
  });
});

test('a refused move can be recorded: it keeps state and seq and says what was wanted and why not', () => {
  const closed = snapshotOf(taskMachine, 'CLOSED');
  const byTarget = recordRefusal(taskMachine, closed, {
    id: 'r1',
    code: 'terminal',
    asked: { ...input, to: 'OPEN' },
  });
  expect(byTarget).toMatchObject({
    id: 'r1',
    kind: 'refused',
    seq: 7,
    from: 'CLOSED',
    to: 'CLOSED',
    event: 'move_to',
    metadata: { code: 'terminal', wanted: 'OPEN' },
  });
  const asked = { ...input, type: 'retry', metadata: { by: 'me' } };
  expect(recordRefusal(taskMachine, closed, { id: 'r2', code: 'terminal', asked })).toMatchObject({
    event: 'retry',
    metadata: { by: 'me', code: 'terminal' },
  });
});
