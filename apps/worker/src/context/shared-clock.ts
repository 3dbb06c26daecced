import type { Clock, Log } from '@baton/contracts';

/** Less than this is no wrong clock: an answer of the database takes its time. */
const toleratedMs = 5_000;

/** A clock that shows the time of the database, whatever this machine believes. */
export interface SharedClock extends Clock {
  /** Sets it by a time that the database just gave. */
  setBy(databaseTime: Date): void;
}

/**
 * Makes the clock by which a worker names times that others act on: deadlines, pauses, signs of life. It is that of this machine until
 * the database shows that it is wrong; then it is put right, and the log says by how much.
 */
export function createSharedClock(own: Clock, log: Pick<Log, 'warn'>): SharedClock {
  let skewMs = 0;
  return {
    now: () => new Date(own.now().getTime() + skewMs),
    monotonicMs: () => own.monotonicMs(),
    setBy(databaseTime) {
      const seenMs = databaseTime.getTime() - own.now().getTime();
      const nextMs = Math.abs(seenMs) < toleratedMs ? 0 : seenMs;
      if (Math.abs(nextMs - skewMs) < toleratedMs) return;
      skewMs = nextMs;
      if (skewMs === 0) return;
      log.warn(
        'the clock of this machine differs from that of the database, which counts; set it (NTP) on the one that is wrong',
        { [skewMs > 0 ? 'behindMs' : 'aheadMs']: Math.abs(skewMs) },
      );
    },
  };
}
