import { setTimeout as delay } from 'node:timers/promises';
import { BatonError, type Clock, type Log } from '@baton/contracts';
import { isDatabaseAway, type RecordOutcome, type Store } from '@baton/task-store';

const pauseMs = 250;
/** Rows that moved under a report have come to rest by then. */
const stalePauseMs = 20;

/** Calls of a batch that have the same effect and answer when they are made twice, by the part of the store that has them. */
const repeatable = {
  streams: [
    'recordUsage',
    'openMeter',
    'closeMeter',
    'touchSession',
    'appendCheckpoint',
    'setSalvage',
    'setReview',
    'shares',
    'unmeasuredAgents',
  ],
  tasks: ['get', 'attempts', 'words', 'landings'],
  lanes: ['placeHead'],
  runs: ['settle', 'baseVerdict', 'saveBaseVerdict'],
} as const;

/**
 * A store that an agent at work does not notice to be away: facts, events, usage and what else a batch calls are repeated until
 * Postgres takes them, for as long as a lease lasts. A fact whose answer got lost is reported twice; the second time it is refused as a
 * move already made. An event is written once.
 *
 * @param options.patienceMs How long a call is repeated; after that its lease is gone anyway.
 * @param options.stopping When aborted, a Postgres that is away is not waited for: the next holder finds out by itself.
 */
export function retryingStore(
  store: Store,
  options: { clock: Clock; log: Log; patienceMs: number; stopping: AbortSignal },
): Store {
  const { clock, log } = options;
  const wait = patience(options);
  const tell = async (fact: string, record: () => Promise<RecordOutcome>): Promise<RecordOutcome> => {
    const untilMs = clock.monotonicMs() + options.patienceMs;
    for (;;) {
      const outcome = await wait(fact, record, { untilMs });
      // Overtaken: it had no effect, and is decided on again.
      if (outcome.ok || outcome.code !== 'STALE' || clock.monotonicMs() >= untilMs) return outcome;
      log.warn('the task changed in between; the fact is reported again', { fact });
      await delay(stalePauseMs);
    }
  };
  return {
    ...store,
    claims: {
      ...store.claims,
      record: (fact, by) => tell(fact.fact, () => store.claims.record(fact, by)),
      recordAll: (facts, by) => tell(facts[0].fact, () => store.claims.recordAll(facts, by)),
    },
    streams: {
      ...patientPart(store.streams, repeatable.streams, wait),
      append: (items) => wait('append', (again) => store.streams.append(items, { again })),
    },
    tasks: patientPart(store.tasks, repeatable.tasks, wait),
    lanes: patientPart(store.lanes, repeatable.lanes, wait),
    runs: patientPart(store.runs, repeatable.runs, wait),
  };
}

type Wait = <T>(
  what: string,
  call: (again: boolean) => Promise<T>,
  limit?: { untilMs: number },
) => Promise<T>;

/** Repeats a call while the database is away; `again` says that an earlier one may have had its effect. */
function patience(options: { clock: Clock; log: Log; patienceMs: number; stopping: AbortSignal }): Wait {
  const { clock, log, stopping } = options;
  return async (what, call, { untilMs } = { untilMs: clock.monotonicMs() + options.patienceMs }) => {
    for (let tried = 0; ; tried += 1) {
      try {
        return await call(tried > 0);
      } catch (cause) {
        if (!isDatabaseAway(cause) || stopping.aborted || clock.monotonicMs() >= untilMs) throw cause;
        const code = BatonError.is(cause) ? cause.code : undefined;
        if (tried === 0) log.warn('the database is away; the call is repeated', { call: what, code });
      }
      await delay(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  };
}

/** A part of the store of which some calls are repeated. */
function patientPart<Part extends object>(
  part: Part,
  names: readonly (keyof Part & string)[],
  wait: Wait,
): Part {
  const calls = names.map((name) => {
    const call = part[name] as (...given: unknown[]) => Promise<unknown>;
    return [name, (...given: unknown[]) => wait(name, () => call(...given))] as const;
  });
  return { ...part, ...Object.fromEntries(calls) };
}
