import { describe, expectTypeOf, test } from 'vitest';
import {
  cognitiveMachine,
  decide,
  executionMachine,
  moveTo,
  taskMachine,
  transition,
  turnMachine,
} from '../src/index.ts';
import type {
  CognitiveState,
  MachineDefinition,
  NextState,
  Snapshot,
  TaskStatus,
  TurnState,
} from '../src/index.ts';

declare const plain: string;
declare const status: TaskStatus;
declare const task: Snapshot<TaskStatus>;
declare const turn: Snapshot<TurnState>;
declare const input: { actor: string; reason: string; at: number };

describe('the literal form of transition', () => {
  test('returns the literal next state', () => {
    expectTypeOf(transition(taskMachine, 'OPEN', 'claim')).toEqualTypeOf<'CLAIMED'>();
    expectTypeOf(transition(turnMachine, 'COMPACTING', 'verify_requested')).toEqualTypeOf<'RUNNING'>();
    expectTypeOf(transition(executionMachine, 'stopped', 'restart')).toEqualTypeOf<'starting'>();
  });

  test('refuses literals that no rule allows', () => {
    // @ts-expect-error OPEN has no start
    transition(taskMachine, 'OPEN', 'start');
    // @ts-expect-error CLOSED is a sink
    transition(taskMachine, 'CLOSED', 'retry');
    // @ts-expect-error no such state
    transition(taskMachine, 'OPENED', 'claim');
    // @ts-expect-error no such event
    transition(taskMachine, 'OPEN', 'clame');
    // @ts-expect-error an override is no event
    transition(taskMachine, 'DONE', 'request_approval');
  });

  test('takes an alias only where it stands for a legal event', () => {
    expectTypeOf(transition(turnMachine, 'COMPACTING', 'compact_completed')).toEqualTypeOf<'RUNNING'>();
    // @ts-expect-error RUNNING knows verify_requested, but not by this name
    transition(turnMachine, 'RUNNING', 'compact_completed');
  });

  test('follows groups, any-state rules and dynamic targets', () => {
    expectTypeOf(transition(cognitiveMachine, 'acting', 'TASK_SUSPENDED')).toEqualTypeOf<'suspended'>();
    expectTypeOf(transition(cognitiveMachine, 'idle', 'TASK_FAILED')).toEqualTypeOf<'failed'>();
    expectTypeOf(transition(cognitiveMachine, 'acting', 'STEP_COMPLETED')).toEqualTypeOf<
      'acting' | 'reasoning' | 'completed'
    >();
    // @ts-expect-error idle cannot be suspended
    transition(cognitiveMachine, 'idle', 'TASK_SUSPENDED');
    // @ts-expect-error the any-state rule stops at declared terminal states
    transition(cognitiveMachine, 'completed', 'TASK_FAILED');
  });

  test('leaves plain strings and unions to the run-time check', () => {
    expectTypeOf(transition(taskMachine, plain, plain)).toEqualTypeOf<
      Exclude<TaskStatus, 'PLANNED' | 'PENDING_APPROVAL'>
    >();
    expectTypeOf(transition(taskMachine, plain, 'claim')).toEqualTypeOf<'CLAIMED'>();
    expectTypeOf(transition(taskMachine, status, 'cancel')).toEqualTypeOf<'CANCELLED'>();
    expectTypeOf(transition(cognitiveMachine, plain, plain)).toEqualTypeOf<Exclude<CognitiveState, 'idle'>>();
  });
});

describe('the snapshot forms', () => {
  test('keep the machine’s names and the caller’s context', () => {
    const decision = decide(taskMachine, task, { ...input, type: 'claim' });
    if (decision.ok) expectTypeOf(decision.snapshot.state).toEqualTypeOf<TaskStatus>();
    expectTypeOf(
      transition(taskMachine, task, { ...input, type: 'claim' }).record.to,
    ).toEqualTypeOf<TaskStatus>();
    expectTypeOf(
      transition(taskMachine, task, { ...input, to: 'CLAIMED' }).record.to,
    ).toEqualTypeOf<TaskStatus>();
  });

  test('refuse names of another machine', () => {
    // @ts-expect-error a turn is no task
    decide(taskMachine, turn, { ...input, type: 'claim' });
    // @ts-expect-error no such event
    decide(taskMachine, task, { ...input, type: 'tool_started' });
    // @ts-expect-error the turn machine is driven by events only
    moveTo(turnMachine, turn, 'RUNNING', input);
  });

  test('take any string once the machine is widened', () => {
    const any: MachineDefinition = taskMachine;
    decide(any, { entityId: 't', state: plain, seq: 0, context: null }, { ...input, type: plain });
    expectTypeOf<NextState<typeof taskMachine, 'OPEN', 'start'>>().toBeNever();
  });
});
