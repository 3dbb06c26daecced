import type { TriggerEvent } from '@baton/contracts';
import { cronOf, type Schedule } from '../cron.ts';
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
 * @param options.max 100 when left out
 */
export function dueTicks(options: {
  schedule: Schedule;
  after: Date;
  now: Date;
  graceMs?: number;
  max?: number;
}): DueTicks {
  const { schedule, after, now, graceMs = 60_000, max = 100 } = options;
  if (now <= after) return { ticks: [], after };
  const cron = cronOf(schedule);
  const onTimeFrom = new Date(Math.max(after.getTime(), now.getTime() - graceMs));
  const missed = schedule.misfire === 'once' ? lastTick(cron, { after, until: onTimeFrom }) : [];
  const from = schedule.misfire === 'all' ? after : onTimeFrom;
  const { ticks, complete } = ticksBetween(cron, { after: from, until: now, max });
  const last = ticks.at(-1);
  return { ticks: [...missed, ...ticks], after: complete || last === undefined ? now : last };
}

/** The next tick after an instant. */
export function nextTick(schedule: Pick<Schedule, 'cron' | 'timezone'>, after: Date): Date | null {
  return cronOf(schedule).nextRun(after);
}

/** A tick as an event. Rule and tick make its delivery id, so that the inbox takes every tick exactly once, however many servers see it. */
export function tickEvent(rule: ScheduleRule, tick: Date): TriggerEvent {
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
