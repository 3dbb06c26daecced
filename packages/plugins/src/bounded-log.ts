import type { Clock, Log } from '@baton/contracts';

const maxLength = 2_000;

/** A plugin's own log: its name on every line, and no more lines than `maxLines` in `perMs`; the rest is counted. */
export function boundedLog(
  log: Log,
  options: { plugin: string; clock: Clock; maxLines?: number; perMs?: number },
): { log: Log; dropped: () => number } {
  const { plugin, clock, maxLines = 200, perMs = 60_000 } = options;
  let windowStartMs = clock.monotonicMs();
  let lines = 0;
  let dropped = 0;
  const write = (level: keyof Log) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
    if (clock.monotonicMs() - windowStartMs >= perMs) [windowStartMs, lines] = [clock.monotonicMs(), 0];
    lines += 1;
    if (lines > maxLines) dropped += 1;
    if (lines === maxLines + 1)
      log.warn('a plugin logs too much; its further lines are dropped for a while', { plugin });
    if (lines <= maxLines) log[level](String(message).slice(0, maxLength), { ...bounded(fields), plugin });
  };
  return { log: { info: write('info'), warn: write('warn'), error: write('error') }, dropped: () => dropped };
}

function bounded(fields: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  if (fields === undefined) return {};
  try {
    const text = JSON.stringify(fields);
    return text.length <= maxLength ? { ...fields } : { fields: text.slice(0, maxLength) };
  } catch {
    return { fields: 'cannot be written as JSON' };
  }
}
