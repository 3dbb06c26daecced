/** At most `max` starts in any stretch of `per` milliseconds. */
export interface RateLimit {
  max: number;
  per: number;
}

/**
 * The earliest time from `now` on at which one more start keeps within the limit. Starts that are still to come count, so
 * that what is deferred queues up in order and comes free by itself.
 */
export function freeFrom(
  starts: readonly Date[],
  options: { limit: RateLimit | undefined; now: Date },
): Date {
  const { limit, now } = options;
  if (limit === undefined) return now;
  const times = starts.map((start) => start.getTime()).sort((a, b) => b - a);
  const oldestThatCounts = times[limit.max - 1];
  return oldestThatCounts === undefined
    ? now
    : new Date(Math.max(now.getTime(), oldestThatCounts + limit.per));
}
