import { triggerEvent } from '@baton/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Schedule } from '../cron.ts';
import { triggerRule, type ScheduleRule } from '../rule.ts';
import { dueTicks, nextTick, tickEvent } from './schedule.ts';

const at = (time: string) => new Date(`2026-11-21T${time}Z`);
const hourly = (misfire: Schedule['misfire']): Schedule => ({ cron: '0 * * * *', timezone: 'UTC', misfire });
const times = (ticks: Date[]) => ticks.map((tick) => tick.toISOString().slice(11, 16));

test('a tick that has just come is due once', () => {
  const first = dueTicks({ schedule: hourly('skip'), after: at('09:59:40'), now: at('10:00:20') });
  expect(times(first.ticks)).toEqual(['10:00']);
  expect(dueTicks({ schedule: hourly('skip'), after: first.after, now: at('10:00:40') }).ticks).toEqual([]);
});

test('a tick exactly now is due, one exactly at the last look is not', () => {
  expect(
    times(dueTicks({ schedule: hourly('all'), after: at('09:00:00'), now: at('10:00:00') }).ticks),
  ).toEqual(['10:00']);
  expect(dueTicks({ schedule: hourly('all'), after: at('10:00:00'), now: at('10:30:00') }).ticks).toEqual([]);
});

test.each([
  ['skip', ['14:00']],
  ['once', ['13:00', '14:00']],
  ['all', ['10:00', '11:00', '12:00', '13:00', '14:00']],
] as const)('after an outage from 9:30 to 14:00:10 "%s" gives %j', (misfire, expected) => {
  const due = dueTicks({ schedule: hourly(misfire), after: at('09:30:00'), now: at('14:00:10') });
  expect(times(due.ticks)).toEqual(expected);
  expect(due.after).toEqual(at('14:00:10'));
});

test.each([
  ['skip', []],
  ['once', ['13:00']],
  ['all', ['13:00']],
] as const)('with nothing on time "%s" gives %j', (misfire, expected) => {
  expect(
    times(dueTicks({ schedule: hourly(misfire), after: at('12:30:00'), now: at('13:30:00') }).ticks),
  ).toEqual(expected);
});

test('a tick at the very end of the grace is missed, and made up for once', () => {
  const schedule: Schedule = { cron: '59 * * * *', timezone: 'UTC', misfire: 'once' };
  const due = dueTicks({ schedule, after: at('12:00:00'), now: at('14:00:00') });
  expect(times(due.ticks)).toEqual(['13:59']);
  expect(dueTicks({ schedule, after: due.after, now: at('14:30:00') }).ticks).toEqual([]);
});

test('a long outage is made up for in parts, without a gap and without a repetition', () => {
  const schedule: Schedule = { cron: '*/5 * * * *', timezone: 'UTC', misfire: 'all' };
  const seen: number[] = [];
  let after = at('00:00:00');
  for (let asked = 0; asked < 20 && after < at('23:00:00'); asked += 1) {
    const due = dueTicks({ schedule, after, now: at('23:00:00'), max: 50 });
    expect(due.ticks.length).toBeLessThanOrEqual(50);
    seen.push(...due.ticks.map((tick) => tick.getTime()));
    after = due.after;
  }
  expect(seen).toEqual(Array.from({ length: 276 }, (_, index) => at('00:05:00').getTime() + index * 300_000));
});

test('however often one looks, "all" gives every tick exactly once', () => {
  const schedule: Schedule = { cron: '*/7 * * * *', timezone: 'Europe/Berlin', misfire: 'all' };
  const start = Date.UTC(2026, 9, 24, 22);
  const gaps = fc.array(fc.integer({ min: 1, max: 3 * 3_600_000 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(gaps, (steps) => {
      let after = new Date(start);
      let nowMs = start;
      const piecewise: number[] = [];
      for (const step of steps) {
        nowMs += step;
        const due = dueTicks({ schedule, after, now: new Date(nowMs), max: 10_000 });
        piecewise.push(...due.ticks.map((tick) => tick.getTime()));
        after = due.after;
      }
      const whole = dueTicks({ schedule, after: new Date(start), now: new Date(nowMs), max: 10_000 });
      expect(piecewise).toEqual(whole.ticks.map((tick) => tick.getTime()));
    }),
    { numRuns: 50 },
  );
});

test('a clock that went back gives nothing', () => {
  expect(dueTicks({ schedule: hourly('all'), after: at('10:00:00'), now: at('08:00:00') })).toEqual({
    ticks: [],
    after: at('10:00:00'),
  });
});

test('times are those of the time zone, also over a change of the clocks', () => {
  const berlin = { cron: '30 2 * * *', timezone: 'Europe/Berlin' };
  // 29 March 2026 has no 02:30 in Berlin: the tick comes as the gap ends.
  expect(nextTick(berlin, new Date('2026-03-28T12:00:00Z'))?.toISOString()).toBe('2026-03-29T01:00:00.000Z');
  // 25 October 2026 has it twice: once is enough.
  const first = nextTick(berlin, new Date('2026-10-24T12:00:00Z')) ?? new Date(0);
  expect(first.toISOString()).toBe('2026-10-25T00:30:00.000Z');
  expect(nextTick(berlin, first)?.toISOString()).toBe('2026-10-26T01:30:00.000Z');
});

const spring = { from: '2026-03-28T23:10:00Z', to: '2026-03-29T03:10:00Z' };
const autumn = { from: '2026-10-24T23:10:00Z', to: '2026-10-25T03:10:00Z' };
const quarters = (...hours: string[]) => hours.flatMap((hour) => [`${hour}:00`, `${hour}:30`]);

// In Berlin the hour from 2 to 3 is skipped on 29 March, and comes twice on 25 October: UTC times of what comes.
test.each([
  ['30 2', spring, ['01:00']],
  ['15,30,45 2', spring, ['01:00']],
  ['10-12 2', spring, ['01:00']],
  ['30 2,4', spring, ['01:00', '02:30']],
  ['0 2,3', spring, ['01:00']],
  ['*/30 *', spring, ['23:30', ...quarters('00', '01', '02'), '03:00']],
  ['30 2', autumn, ['00:30']],
  ['15,45 2', autumn, ['00:15', '00:45']],
  ['30 2,3', autumn, ['00:30', '02:30']],
  ['*/30 *', autumn, ['23:30', ...quarters('00', '01', '02'), '03:00']],
])(
  'named times come once over a change of the clocks, repetitions with it: %s',
  (hours, { from, to }, expected) => {
    for (const misfire of ['all', 'once'] as const) {
      const schedule: Schedule = { cron: `${hours} * * *`, timezone: 'Europe/Berlin', misfire };
      const seen = new Set<string>();
      let after = new Date(from);
      // Looks each five minutes: what comes late is made up for, and comes in no second look.
      for (let now = after.getTime(); now <= Date.parse(to); now += 300_000) {
        const due = dueTicks({ schedule, after, now: new Date(now) });
        for (const tick of times(due.ticks)) {
          expect(seen).not.toContain(tick);
          seen.add(tick);
        }
        after = due.after;
      }
      expect([...seen]).toEqual(expected);
      // After a whole outage the newest one alone comes.
      const late = dueTicks({ schedule, after: new Date(from), now: new Date(to) });
      expect(times(late.ticks)).toEqual(misfire === 'all' ? expected : expected.slice(-1));
    }
  },
);

test.each([
  ['America/Santiago', '0 0', '2026-09-05T12:00:00Z', '2026-09-06T04:00:00.000Z'],
  ['Australia/Lord_Howe', '10,20 2', '2026-10-03T12:00:00Z', '2026-10-03T15:30:00.000Z'],
  ['Pacific/Apia', '0 12', '2011-12-29T22:00:00Z', '2011-12-30T22:00:00.000Z'],
  ['UTC', '0 0', '2028-02-28T12:00:00Z', '2028-02-29T00:00:00.000Z'],
])(
  'gaps at midnight, of half an hour and of a day, and leap days are no end of a schedule: %s',
  (timezone, hours, after, next) => {
    expect(nextTick({ cron: `${hours} * * *`, timezone }, new Date(after))?.toISOString()).toBe(next);
  },
);

test('a tick is an event whose delivery id is rule and tick', () => {
  const rule = triggerRule.parse({
    name: 'nightly',
    source: 'schedule',
    schedule: { cron: '0 3 * * *' },
    task: { title: 'Audit' },
  }) as ScheduleRule;
  const event = tickEvent(rule, at('03:00:00'));
  expect(event).toMatchObject({
    source: 'schedule',
    deliveryId: 'nightly@2026-11-21T03:00:00.000Z',
    trusted: true,
  });
  expect(triggerEvent.parse(event)).toEqual(event);
});
