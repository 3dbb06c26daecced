import type { TriggerEvent } from '@baton/contracts';
import { expect, test } from 'vitest';
import { draftOfRule } from './draft.ts';
import { evaluate } from './evaluate.ts';
import { matches } from './patterns.ts';
import { ruleStates } from './rule-states.ts';
import { triggersFile, type TriggerRule } from './rule.ts';

const now = new Date('2026-11-21T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);

function event(change: Partial<TriggerEvent> = {}): TriggerEvent {
  return {
    ...{ source: 'webhook', deliveryId: 'd1', kind: 'issue', receivedAt: now.toISOString() },
    ...{ sender: 'ci', trusted: false, data: { branch: 'main', labels: ['ui', 'bug'], from: 'a', to: 'b' } },
    ...change,
  };
}

function rulesOf(...rules: object[]): TriggerRule[] {
  const filled = rules.map((rule, at) => ({
    name: `r${at}`,
    source: 'webhook',
    task: { title: 'T' },
    ...rule,
  }));
  return triggersFile.parse({ rules: filled }).rules;
}

const fires = (rule: object, state: Parameters<typeof evaluate>[2] = { now, rules: {} }) =>
  evaluate({ rules: rulesOf(rule) }, event(), state)[0];

test('of several fields every one must match, whichever comes first', () => {
  const wanted = { branch: 'main', labels: 'bug' };
  expect(fires({ filters: { fields: wanted } })?.fires).toBe(true);
  for (const fields of [
    { ...wanted, to: 'x' },
    { to: 'x', ...wanted },
    { branch: 'main', to: 'x', labels: 'bug' },
  ])
    expect(fires({ filters: { fields } })?.why).toEqual(['field to does not match; wanted: "x"']);
});

test('every excluding pattern counts, one including one is enough, and with only excluding ones the rest is let in', () => {
  expect(matches('release/1', ['**', '!main', '!release/**'])).toBe(false);
  expect(matches('main', ['**', '!main', '!release/**'])).toBe(false);
  expect(matches('feature/x', ['!main', '!release/**'])).toBe(true);
  expect(matches('release/1', ['!main', '!release/**'])).toBe(false);
  expect(matches('b', ['a', 'b', 'c'])).toBe(true);
  expect(matches(['x', 'y', 'b'], ['a', 'b'])).toBe(true);
  expect(matches(['x', 'y'], ['a', 'b'])).toBe(false);
});

test('a cool-down counts from the newest of several tasks, in whatever order they are known', () => {
  const conditions = { cooldown: '30m' };
  for (const startsAt of [
    [minutesAgo(300), minutesAgo(10)],
    [minutesAgo(10), minutesAgo(300)],
  ])
    expect(fires({ conditions }, { now, rules: { r0: { openTasks: 0, startsAt } } })?.why).toEqual([
      'cooling down until 2026-11-21T12:20:00.000Z',
    ]);
  const startsAt = [minutesAgo(30), minutesAgo(300)];
  expect(fires({ conditions }, { now, rules: { r0: { openTasks: 0, startsAt } } })?.fires).toBe(true);
});

test('of several tasks of several rules each counts for its own, from when it starts', () => {
  const task = (rule: string, createdAt: Date, notBefore: Date | null, settled: boolean) => ({
    rule,
    createdAt,
    notBefore,
    settled,
  });
  const later = new Date('2026-11-21T13:00:00Z');
  expect(
    ruleStates(
      [
        task('a', minutesAgo(3), null, false),
        task('b', minutesAgo(3), minutesAgo(9), true),
        task('a', minutesAgo(2), later, false),
        task('a', minutesAgo(1), null, true),
      ],
      now,
    ),
  ).toEqual({
    a: { openTasks: 2, startsAt: [minutesAgo(3), later, minutesAgo(1)] },
    b: { openTasks: 0, startsAt: [minutesAgo(3)] },
  });
});

test('each rule makes one task of a delivery, and each source has its own deliveries', () => {
  const [one, other] = rulesOf({}, {});
  if (one === undefined || other === undefined) throw new Error('no rules');
  const keyOf = (rule: TriggerRule, change: Partial<TriggerEvent> = {}) => {
    const { key, idempotencyKey } = draftOfRule(rule, event(change));
    return `${key.slice(-12)} ${idempotencyKey}`;
  };
  expect(keyOf(one)).toBe(keyOf(one));
  const keys = [keyOf(one), keyOf(other), keyOf(one, { source: 'github' }), keyOf(one, { deliveryId: 'd2' })];
  expect(new Set(keys).size).toBe(4);
});

test('every field from outside is fenced under its own name, in a goal that uses several', () => {
  const [rule] = rulesOf({
    task: { title: 'T', goal: 'From {{event.data.from}} to {{event.data.to}} on {{event.data.branch}}' },
  });
  if (rule === undefined) throw new Error('no rule');
  const { goal } = draftOfRule(rule, event());
  expect(goal).toMatch(/^From \[event\.data\.from\] to \[event\.data\.to\] on \[event\.data\.branch\]\n/);
  for (const [name, value] of [
    ['from', 'a'],
    ['to', 'b'],
    ['branch', 'main'],
  ] as const)
    expect(goal).toMatch(
      new RegExp(`--- begin event\\.data\\.${name} (\\w+)\\n${value}\\n--- end event\\.data\\.${name} \\1`),
    );
});
