import { Cron } from 'croner';

/** When a rule fires. `cron` has five fields; `timezone` is an IANA name. */
export interface Schedule {
  cron: string;
  timezone: string;
  /** What becomes of ticks that passed while no process looked. */
  misfire: 'skip' | 'once' | 'all';
}

/**
 * A croner job that is only asked, never started. Croner handles daylight saving: times that are named, one or a list of them, come once as
 * the gap ends when they are skipped, and once when they are repeated; minutes or hours with `*` or `/` follow the clock.
 */
export function cronOf({ cron, timezone }: Pick<Schedule, 'cron' | 'timezone'>): Cron {
  // Croner would take the zone of this machine, and servers in two zones would fire one tick twice.
  if (timezone.trim() === '') throw new RangeError('an empty time zone');
  return new Cron(cron, { mode: '5-part', timezone, paused: true, fixedTimeRule: 'no-wildcard' });
}

/** What is wrong with a schedule, or null. A time that never comes (30 February) is wrong too. */
export function scheduleProblem(
  schedule: Pick<Schedule, 'cron' | 'timezone'>,
): { key: 'cron' | 'timezone'; message: string } | null {
  // Croner takes dates and nicknames such as "@daily", too: the documents promise five fields.
  if (schedule.cron.trim().split(/\s+/).length !== 5)
    return { key: 'cron', message: `"${schedule.cron}" is no cron expression: it needs five fields` };
  const anyTime = new Date(Date.UTC(2026, 0, 1));
  try {
    if (cronOf({ cron: schedule.cron, timezone: 'UTC' }).nextRun(anyTime) === null) {
      return { key: 'cron', message: `"${schedule.cron}" never comes` };
    }
  } catch (error) {
    return { key: 'cron', message: `"${schedule.cron}" is no cron expression: ${firstLine(error)}` };
  }
  try {
    cronOf(schedule).nextRun(anyTime);
    return null;
  } catch {
    return {
      key: 'timezone',
      message: `"${schedule.timezone}" is no time zone; use a name such as "UTC" or "Europe/Berlin"`,
    };
  }
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
