import { describe, expect, test } from 'vitest';
import { input, snapshotOf } from '../test/support.ts';
import {
  agentMachine,
  cognitiveMachine,
  executionMachine,
  IllegalTransitionError,
  InvalidStateTransition,
  InvalidTransitionError,
  taskMachine,
  transition,
  TransitionError,
  turnMachine,
} from './index.ts';

/** What a call throws. */
function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

const plain = (text: string): string => text;

describe('transition on a bare state', () => {
  test('returns the next state', () => {
    expect(transition(taskMachine, 'OPEN', 'claim')).toBe('CLAIMED');
    expect(transition(turnMachine, 'COMPACTING', 'compact_completed')).toBe('RUNNING');
    expect(transition(cognitiveMachine, 'idle', 'TASK_FAILED')).toBe('failed');
  });

  test('decides a dynamic cell on the empty context: no plan completes, nothing stored resumes reasoning', () => {
    expect(transition(cognitiveMachine, 'acting', 'STEP_COMPLETED')).toBe('completed');
    expect(transition(cognitiveMachine, 'suspended', 'TASK_RESUMED')).toBe('reasoning');
  });

  test('checks plain strings at run time and says what is legal instead', () => {
    const error = thrownBy(() => transition(taskMachine, plain('OPEN'), plain('start')));
    expect(error).toBeInstanceOf(IllegalTransitionError);
    expect(error).toMatchObject({
      machine: 'task',
      entityId: undefined,
      from: 'OPEN',
      event: 'start',
      code: 'illegal',
    });
    expect(String(error)).toBe(
      'IllegalTransitionError: task in OPEN cannot take event start (illegal). ' +
        'Legal here: claim → CLAIMED, decompose → WAITING_FOR_SUBTASKS, cancel → CANCELLED.',
    );
  });

  test.each(['constructor', '__proto__', 'toString', ''])(
    'treats %j as an unknown name, not as a property',
    (name) => {
      expect(() => transition(taskMachine, name, plain('claim'))).toThrow(IllegalTransitionError);
      expect(() => transition(taskMachine, plain('OPEN'), name)).toThrow(IllegalTransitionError);
    },
  );

  test('finds no cell among the properties that every object has', () => {
    const names = ['constructor', '__proto__', 'toString', 'name', 'length'];
    for (const from of names) {
      for (const event of names) {
        expect(() => transition(taskMachine, from, event), `${from} on ${event}`).toThrow(
          IllegalTransitionError,
        );
      }
    }
  });
});

describe('transition on a snapshot', () => {
  test('returns the accepted decision, by event or by target', () => {
    const byEvent = transition(taskMachine, snapshotOf(taskMachine, 'OPEN'), { ...input, type: 'claim' });
    const byTarget = transition(taskMachine, snapshotOf(taskMachine, 'OPEN'), { ...input, to: 'CLAIMED' });
    expect(byEvent).toMatchObject({ ok: true, snapshot: { state: 'CLAIMED' }, record: { event: 'claim' } });
    expect(byTarget).toEqual(byEvent);
  });

  test('throws the error that each seed names, with machine, entity, from, and event or target', () => {
    const task = thrownBy(() =>
      transition(taskMachine, snapshotOf(taskMachine, 'OPEN'), { ...input, to: 'DONE' }),
    );
    expect(task).toBeInstanceOf(IllegalTransitionError);
    expect(task).toMatchObject({
      name: 'IllegalTransitionError',
      machine: 'task',
      entityId: 'e1',
      from: 'OPEN',
      to: 'DONE',
    });
    const agent = thrownBy(() =>
      transition(agentMachine, snapshotOf(agentMachine, 'dead'), { ...input, type: 'ready' }),
    );
    expect(agent).toBeInstanceOf(IllegalTransitionError);
    expect(agent).toMatchObject({ machine: 'agent', event: 'ready', to: undefined, code: 'terminal' });
    const turn = thrownBy(() =>
      transition(turnMachine, snapshotOf(turnMachine, 'IDLE'), { ...input, type: 'task_failed' }),
    );
    expect(turn).toBeInstanceOf(InvalidTransitionError);
    expect(turn).toMatchObject({
      name: 'InvalidTransitionError',
      machine: 'turn',
      from: 'IDLE',
      event: 'task_failed',
    });
    const cognitive = thrownBy(() =>
      transition(cognitiveMachine, snapshotOf(cognitiveMachine, 'failed'), { ...input, type: 'TASK_FAILED' }),
    );
    expect(cognitive).toBeInstanceOf(InvalidStateTransition);
    expect(cognitive).toMatchObject({ name: 'InvalidStateTransition', from: 'failed', code: 'terminal' });
    for (const error of [task, agent, turn, cognitive]) expect(error).toBeInstanceOf(TransitionError);
  });

  test('words an execution’s refusal exactly as its seed does', () => {
    const stopped = snapshotOf(executionMachine, 'stopped');
    expect(() => transition(executionMachine, stopped, { ...input, to: 'busy' })).toThrow(
      /^Invalid state transition: stopped -> busy$/,
    );
    expect(thrownBy(() => transition(executionMachine, stopped, { ...input, to: 'busy' }))).toMatchObject({
      fix: 'Legal here: restart → starting.',
    });
  });

  test('asks the caller with an outdated snapshot to read again', () => {
    const open = snapshotOf(taskMachine, 'OPEN');
    expect(() => transition(taskMachine, open, { ...input, type: 'claim', expectSeq: 8 })).toThrow(
      /\(stale\).*Read the entity/,
    );
  });
});
