import type { Clock, Log, TriggerEvent } from '@baton/contracts';
import type { Store } from '@baton/task-store';
import { dueTicks, tickEvent, type ScheduleRule, type TriggersFile } from '@baton/triggers';

export interface ScheduleOptions {
  store: Pick<Store, 'getCursor' | 'setCursor'>;
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
  const reached = new Map<string, Date>();

  const startOf = async (cursor: string, now: Date): Promise<Date> => {
    const known = reached.get(cursor);
    if (known !== undefined) return known;
    const stored = await store.getCursor(cursor);
    if (stored > 0) return new Date(stored);
    // A new schedule has no past.
    await store.setCursor(cursor, now.getTime());
    return now;
  };

  const fire = async (rule: ScheduleRule) => {
    const now = clock.now();
    const cursor = cursorOf(rule);
    const due = dueTicks({ schedule: rule.schedule, after: await startOf(cursor, now), now });
    for (const tick of rule.enabled ? due.ticks : []) {
      const { duplicate } = await accept(tickEvent(rule, tick));
      if (!duplicate) log.info('a schedule fired', { rule: rule.name, tick: tick.toISOString() });
    }
    reached.set(cursor, due.after);
    if (due.ticks.length > 0) await store.setCursor(cursor, due.after.getTime());
  };

  return async () => {
    for (const rule of options.rules().rules) if (rule.source === 'schedule') await fire(rule);
  };
}

/** A changed schedule begins anew: what the old one meant for the past does not count for it. */
function cursorOf({ name, schedule }: ScheduleRule): string {
  return `schedule:${name}:${schedule.cron}:${schedule.timezone}`;
}
