import { setTimeout as delay } from 'node:timers/promises';
import { BatonError, type Clock, type Log } from '@baton/contracts';
import type { RecordOutcome, Store } from '@baton/task-store';
import { databaseAway } from './database-away.ts';

const pauseMs = 250;
/** Rows that moved under a report have come to rest by then. */
const stalePauseMs = 20;

/**
 * A store whose facts are not lost when Postgres is away for a moment, or the rows that they are about are much moved: what
 * happened is told until it is heard, for as long as a lease lasts. A fact whose answer got lost is told twice; the second time
 * it is refused as a move already made.
 *
 * @param options.patienceMs How long a fact is told again; after that its lease is gone anyway.
 * @param options.stopping When aborted, a Postgres that is away is not waited for: the next holder finds out by itself.
 */
export function retryingStore(
  store: Store,
  options: { clock: Clock; log: Log; patienceMs: number; stopping: AbortSignal },
): Store {
  const { clock, log, stopping } = options;
  const patiently = async (fact: string, tell: () => Promise<RecordOutcome>): Promise<RecordOutcome> => {
    const untilMs = clock.monotonicMs() + options.patienceMs;
    for (;;) {
      try {
        const outcome = await tell();
        // Overtaken: it had no effect, and is decided on anew.
        if (outcome.ok || outcome.code !== 'STALE' || clock.monotonicMs() >= untilMs) return outcome;
        log.warn('the task changed in between; the fact is reported again', { fact });
        await delay(stalePauseMs);
        continue;
      } catch (cause) {
        const isAway = BatonError.is(cause) && databaseAway.includes(cause.code);
        if (!isAway || stopping.aborted || clock.monotonicMs() >= untilMs) throw cause;
        log.warn('Postgres does not answer; the fact will be reported again', { fact, code: cause.code });
      }
      await delay(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  };
  return {
    ...store,
    claims: {
      ...store.claims,
      record: (fact, by) => patiently(fact.fact, () => store.claims.record(fact, by)),
      recordAll: (facts, by) => patiently(facts[0].fact, () => store.claims.recordAll(facts, by)),
    },
  };
}
