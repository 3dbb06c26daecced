import { expect, it } from 'vitest';
import { runOutcome, type RunTask } from './run-outcome.ts';

const task = (id: string, given: Partial<RunTask> = {}): RunTask => ({
  id,
  key: id,
  status: 'OPEN',
  settled: false,
  notBefore: null,
  blockedOn: null,
  waitsFor: [],
  ...given,
});
const closed = task('closed', { status: 'CLOSED', settled: true });
const failed = task('failed', { status: 'FAILED', settled: true });
const outcome = (
  tasks: RunTask[],
  given: {
    status?: 'running' | 'paused' | 'failed' | 'cancelled';
    standing?: boolean;
    budgetSpent?: boolean;
  } = {},
) =>
  runOutcome({
    run: { status: given.status ?? 'running', statusReason: null, standing: given.standing ?? false },
    tasks,
    budgetSpent: given.budgetSpent ?? false,
  })?.status ?? null;

it('is done when all tasks are closed, failed when one failed for good', () => {
  expect(outcome([closed])).toBe('done');
  expect(outcome([closed, failed])).toBe('failed');
  expect(outcome([closed, task('x', { status: 'CANCELLED', settled: true })])).toBe('cancelled');
  expect(outcome([closed], { standing: true })).toBe('running');
});

it('waits when only a person moves it, through dependencies too', () => {
  const planned = task('planned', { status: 'PLANNED' });
  expect(outcome([closed, planned, task('after', { waitsFor: ['planned'] })])).toBe('waiting');
  expect(outcome([task('asks', { status: 'PENDING_APPROVAL' })])).toBe('waiting');
  expect(outcome([task('blocked', { status: 'BLOCKED', blockedOn: { text: 'a key' } })])).toBe('waiting');
  expect(outcome([planned, task('free')])).toBe('running');
});

it('is stuck when only a retry moves it, also far down the line', () => {
  expect(outcome([failed, task('a', { waitsFor: ['failed'] }), task('b', { waitsFor: ['a'] })])).toBe(
    'stuck',
  );
  expect(outcome([failed, task('parent', { status: 'BLOCKED', blockedOn: { task: 'failed' } })])).toBe(
    'stuck',
  );
  expect(outcome([failed, task('a', { waitsFor: ['failed'] }), task('b', { status: 'IN_PROGRESS' })])).toBe(
    'running',
  );
  expect(outcome([task('a')], { budgetSpent: true })).toBe('stuck');
});

it('goes on while a timer or somebody at work will move it', () => {
  expect(
    outcome([task('later', { status: 'BLOCKED', notBefore: new Date(0), blockedOn: { until: 'x' } })]),
  ).toBe('running');
  expect(outcome([task('lane', { status: 'DONE' })])).toBe('running');
});

it('leaves paused, cancelled and refused runs alone while tasks are open', () => {
  expect(outcome([task('a')], { status: 'paused' })).toBeNull();
  expect(outcome([task('a')], { status: 'failed' })).toBeNull();
  expect(outcome([closed], { status: 'cancelled' })).toBeNull();
});
