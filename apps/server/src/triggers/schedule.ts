import { createHash } from 'node:crypto';
import type { Clock, Log, TriggerEvent } from '@baton/contracts';
import type { StorePart } from '@baton/task-store';
import { dueTicks, tickEvent, type ScheduleRule, type TriggersFile } from '@baton/triggers';

export interface ScheduleOptions {
  store: StorePart<{ feed: 'getCursor' | 'setCursor' }>;
  clock: Clock;
  log: Log;
  rules: () => TriggersFile;
  accept: (event: TriggerEvent) => Promise<{ duplicate: boolean }>;
}

/**
 * Makes the function that fires what is due. Any number of servers may run it on one store: the delivery id of a tick is
 * unique, so each becomes one task. The cursor only saves looking at the past again; it is moved after the ticks were
 * accepted, so that a crash in between repeats them without effect.
 */
export function createSchedule(options: ScheduleOptions): () => Promise<void> {
  const { store, clock, log, accept } = options;
  const reached = new Map<string, { cursor: string; at: Date }>();

  const startOf = async (rule: ScheduleRule, now: Date): Promise<Date> => {
    const [cursor, inForce] = [cursorOf(rule), inForceOf(rule.name)];
    const known = reached.get(rule.name);
    // A place beyond now was reached by a clock that was ahead. What it fired from here on is known by its delivery id.
    if (known?.cursor === cursor && known.at <= now) return known.at;
    const [stored, mark] = await Promise.all([store.feed.getCursor(cursor), store.feed.getCursor(inForce)]);
    // No mark: its cursor was written before there were marks.
    const isSame = stored > 0 && stored <= now.getTime() && (mark === 0 || mark === markOf(cursor));
    // A new schedule has no past, and one that comes back has none from while it was not in force.
    if (!isSame) await store.feed.setCursor(cursor, now.getTime());
    if (mark !== markOf(cursor)) await store.feed.setCursor(inForce, markOf(cursor));
    return isSame ? new Date(stored) : now;
  };

  const fire = async (rule: ScheduleRule) => {
    const now = clock.now();
    const cursor = cursorOf(rule);
    const due = dueTicks({ schedule: rule.schedule, after: await startOf(rule, now), now });
    for (const tick of rule.enabled ? due.ticks : []) {
      const { duplicate } = await accept(tickEvent(rule, tick));
      if (!duplicate) log.info('a schedule fired', { rule: rule.name, tick: tick.toISOString() });
    }
    reached.set(rule.name, { cursor, at: due.after });
    if (due.ticks.length > 0) await store.feed.setCursor(cursor, due.after.getTime());
  };

  /** What is added again later does not make up for the time in between. */
  const forget = async (name: string) => {
    await store.feed.setCursor(inForceOf(name), removedMark);
    reached.delete(name);
  };

  return async () => {
    const rules = options.rules().rules.filter((rule) => rule.source === 'schedule');
    const names = new Set(rules.map(({ name }) => name));
    const removed = [...reached.keys()].filter((name) => !names.has(name));
    const failures: unknown[] = [];
    for (const name of removed) await forget(name).catch((cause: unknown) => failures.push(cause));
    // One that fails does not keep the others from firing; it is tried again with the next round.
    for (const rule of rules) {
      await fire(rule).catch((cause: unknown) => {
        failures.push(new Error(`rule ${rule.name}: ${String(cause)}`, { cause }));
      });
    }
    if (failures.length > 0) throw failures[0];
  };
}

/** Where it is kept which schedule of a rule is in force. */
const inForceOf = (name: string) => `schedule:${name}`;
const marks = 2 ** 48;
const removedMark = 2 * marks;

/**
 * A schedule as a number, which is what the store keeps; never the mark of a removed one. Marks are beyond each position of the feed:
 * what a cursor has not reached is not archived.
 */
function markOf(cursor: string): number {
  return marks + createHash('sha256').update(cursor).digest().readUIntBE(0, 6);
}

/** A changed schedule has a cursor of its own: what the old one meant for the past does not count for it. */
function cursorOf({ name, schedule }: ScheduleRule): string {
  return `schedule:${name}:${schedule.cron}:${schedule.timezone}`;
}
