import { expect, it } from 'vitest';
import { runOutcome, type RunTask } from './run-outcome.ts';
import { moneyOf } from './budget-room.ts';

const task = (id: string, given: Partial<RunTask> = {}): RunTask => ({
  id,
  key: id,
  parentId: null,
  maxCostMicroUsd: null,
  refusal: null,
  status: 'OPEN',
  settled: false,
  notBefore: null,
  blockedOn: null,
  waitsFor: [],
  ...given,
});
const closed = task('closed', { status: 'CLOSED', settled: true });
const failed = task('failed', { status: 'FAILED', settled: true });
const settled = (
  tasks: RunTask[],
  given: {
    status?: 'running' | 'paused' | 'failed' | 'cancelled';
    standing?: boolean;
    /** Cap, spent and reserved. */
    money?: [cap: number | null, spent?: number, reserved?: number];
  } = {},
) => {
  const [budgetMicroUsd, spentMicroUsd = 0, reservedMicroUsd = 0] = given.money ?? [null];
  return runOutcome({
    run: {
      slug: 'tidy',
      status: given.status ?? 'running',
      statusReason: null,
      standing: given.standing ?? false,
    },
    tasks,
    money: moneyOf({ budgetMicroUsd, spentMicroUsd, reservedMicroUsd }),
  });
};
const outcome = (...given: Parameters<typeof settled>) => settled(...given)?.status ?? null;

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
});

it('names the task to retry, and those that wait for it', () => {
  const waits = [failed, task('a', { waitsFor: ['failed'] }), task('b', { waitsFor: ['a'] })];
  expect(settled(waits)).toEqual({ status: 'stuck', reason: 'only a retry of failed moves: a, b' });
});

it('names what a retry is accepted for: a blocked task, where what it waits for was cancelled', () => {
  const lost = task('lost', { status: 'CANCELLED', settled: true, parentId: 'parent' });
  const parent = task('parent', { status: 'BLOCKED', blockedOn: { task: 'lost' } });
  const after = task('after', { waitsFor: ['parent'] });
  expect(settled([lost, parent])).toEqual({ status: 'stuck', reason: 'only a retry moves: parent' });
  expect(settled([lost, parent, after])?.reason).toBe('only a retry of parent moves: after');
  const other = task('other', { status: 'BLOCKED', blockedOn: { task: 'failed' } });
  expect(settled([lost, failed, parent, other])?.reason).toBe('only a retry of failed, parent moves: other');
});

it('waits when nothing but more money moves it, and says what to type', () => {
  const dear = task('dear', { maxCostMicroUsd: 600_000 });
  const after = task('after', { waitsFor: ['dear'] });
  expect(settled([task('a')], { money: [1_000_000, 950_000] })).toEqual({
    status: 'waiting',
    reason: 'the budget is spent; raise it with `baton budget <usd> tidy`',
  });
  expect(settled([dear, after], { money: [500_000] })).toEqual({
    status: 'waiting',
    reason:
      'the budget has no room for dear: $0.5 are left, at least $0.6 are needed; raise it with `baton budget <usd> tidy`',
  });
  expect(outcome([dear, after], { money: [600_000] })).toBe('running');
  expect(outcome([dear, after], { money: [null] })).toBe('running');
  expect(settled([dear, task('planned', { status: 'PLANNED' })], { money: [500_000] })?.reason).toMatch(
    /^waits for a person: planned; the budget has no room for dear/,
  );
});

it('keeps running while anything fits, is at work, or holds money that may come back', () => {
  const dear = task('dear', { maxCostMicroUsd: 600_000 });
  expect(outcome([dear, task('cheap', { maxCostMicroUsd: 500_000 })], { money: [500_000] })).toBe('running');
  expect(outcome([dear], { money: [1_000_000, 100_000, 500_000] })).toBe('running');
  expect(outcome([dear, task('done', { status: 'DONE' })], { money: [500_000] })).toBe('running');
  const after = task('after', { maxCostMicroUsd: 600_000, waitsFor: ['at-work'] });
  expect(outcome([after, task('at-work', { status: 'IN_PROGRESS' })], { money: [500_000] })).toBe('running');
  expect(outcome([dear], { money: [1_000_000, 950_000, 50_000] })).toBe('waiting');
});

it('waits for an unknown price, and for money that no worker found enough', () => {
  const unpriced = task('unpriced', { refusal: 'price_unknown', notBefore: new Date(0) });
  expect(settled([unpriced], { money: [1_000_000, 0, 500_000] })?.reason).toContain(
    'unpriced; name others, or lift the budget with `baton budget none tidy`',
  );
  expect(outcome([unpriced])).toBe('running');
  const refused = task('refused', { refusal: 'budget', notBefore: new Date(0) });
  expect(outcome([refused], { money: [1_000_000] })).toBe('waiting');
  expect(outcome([refused], { money: [1_000_000, 0, 500_000] })).toBe('running');
});

it('takes a parent for what moves its children', () => {
  const parent = task('parent', { status: 'WAITING_FOR_SUBTASKS' });
  const child = (id: string, given: Partial<RunTask> = {}) => task(id, { parentId: 'parent', ...given });
  const shut = child('shut', { status: 'CLOSED', settled: true });
  expect(outcome([parent, shut])).toBe('running');
  expect(outcome([parent, shut, child('lost', { status: 'FAILED', settled: true })])).toBe('running');
  const asks = child('asks', { status: 'PENDING_APPROVAL' });
  expect(settled([parent, shut, asks, task('after', { waitsFor: ['parent'] })])).toEqual({
    status: 'waiting',
    reason: 'waits for a person: asks',
  });
  expect(outcome([parent, asks, child('free')])).toBe('running');
  const dear = child('dear', { maxCostMicroUsd: 2 });
  expect(settled([parent, shut, dear], { money: [1] })?.reason).toContain('no room for dear:');
});

it('keeps running while a timer or somebody at work will move it', () => {
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
