import { BatonError, type TriggerEvent } from '@baton/contracts';
import { check, instant, tickOptions } from '../checked.ts';
import { cronOf, scheduleProblem, type Schedule } from '../cron.ts';
import type { ScheduleRule } from '../rule.ts';

/** Ticks that are due, oldest first, and the instant to pass as `after` the next time. */
export interface DueTicks {
  ticks: Date[];
  after: Date;
}

/**
 * The ticks of a schedule in (`after`, `now`]. Those older than the grace were missed, and the schedule's misfire policy
 * decides about them: left out (skip), the newest one only (once), or each (all). At most `max` are given at a time;
 * asking again with the returned `after` gives the rest, so that none is lost and none comes twice.
 *
 * @param options.graceMs how late a tick may be without counting as missed; 60 000 when left out
 * @param options.max 100 when left out; at least 1
 * @throws INVALID_INPUT for times, numbers or a schedule that are none
 */
export function dueTicks(options: {
  schedule: Pick<Schedule, 'cron' | 'timezone'> & Partial<Pick<Schedule, 'misfire'>>;
  after: Date;
  now: Date;
  graceMs?: number;
  max?: number;
}): DueTicks {
  check(tickOptions, options, 'What ticks are asked for');
  const { schedule, after, now, graceMs = 60_000, max = 100 } = options;
  const { misfire = 'once' } = schedule;
  if (now <= after) return { ticks: [], after };
  const cron = soundCron(schedule);
  const onTimeFrom = new Date(Math.max(after.getTime(), now.getTime() - graceMs));
  const missed = misfire === 'once' ? lastTick(cron, { after, until: onTimeFrom }) : [];
  const from = misfire === 'all' ? after : onTimeFrom;
  const { ticks, complete } = ticksBetween(cron, { after: from, until: now, max });
  const last = ticks.at(-1);
  return { ticks: [...missed, ...ticks], after: complete || last === undefined ? now : last };
}

/** The next tick after an instant. @throws INVALID_INPUT for what is no schedule or no time */
export function nextTick(schedule: Pick<Schedule, 'cron' | 'timezone'>, after: Date): Date | null {
  check(tickOptions.shape.schedule, schedule, 'The schedule');
  check(instant, after, 'The time after which a tick is asked for');
  return soundCron(schedule).nextRun(after);
}

/** Time zones are looked up when a tick is: so one is asked for at once. @throws INVALID_INPUT */
function soundCron(schedule: Pick<Schedule, 'cron' | 'timezone'>): ReturnType<typeof cronOf> {
  try {
    const cron = cronOf(schedule);
    cron.nextRun(new Date(0));
    return cron;
  } catch (cause) {
    const problem = scheduleProblem(schedule);
    if (problem === null) throw cause;
    throw new BatonError('INVALID_INPUT', `The schedule is not valid: ${problem.message}.`, {
      at: problem.key,
      fix: 'Give five fields and the name of a time zone, e.g. { cron: "0 3 * * *", timezone: "Europe/Berlin" }.',
      cause,
    });
  }
}

/** A tick as an event. Rule and tick make its delivery id, so that the inbox takes every tick exactly once, however many servers see it. */
export function tickEvent(rule: ScheduleRule, tick: Date): TriggerEvent {
  check(instant, tick, 'The tick');
  const at = tick.toISOString();
  return {
    source: 'schedule',
    deliveryId: `${rule.name}@${at}`,
    kind: 'schedule',
    receivedAt: at,
    sender: null,
    trusted: true,
    data: { rule: rule.name, tick: at, timezone: rule.schedule.timezone },
  };
}

function lastTick(cron: ReturnType<typeof cronOf>, range: { after: Date; until: Date }): Date[] {
  // Croner looks strictly before its reference and in whole seconds; one second later includes `until` itself.
  const [tick] = cron
    .previousRuns(1, new Date(range.until.getTime() + 1_000))
    .filter((run) => run <= range.until);
  return tick !== undefined && tick > range.after ? [tick] : [];
}

function ticksBetween(
  cron: ReturnType<typeof cronOf>,
  range: { after: Date; until: Date; max: number },
): { ticks: Date[]; complete: boolean } {
  const ticks: Date[] = [];
  let next = cron.nextRun(range.after);
  while (next !== null && next <= range.until) {
    if (ticks.length === range.max) return { ticks, complete: false };
    ticks.push(next);
    next = cron.nextRun(next);
  }
  return { ticks, complete: true };
}
