import { setTimeout as delay } from 'node:timers/promises';

import { BatonError, type Clock } from '@baton/contracts';
import { carryCommand, isDatabaseAway } from '@baton/task-store';

/** A database that is away for longer is not waited for: the leases of the agents have ended long before. */
const patienceMs = 10 * 60_000;
const pauseMs = 1_000;

/** The times at which the database of a run was away. */
export interface Outage {
  /** A look at the run failed. @throws the error, where it is not waited for (any longer) */
  notice(error: unknown): void;
  /** A look succeeded. */
  over(): void;
}

/** Waits for a database that is away for a bounded time; says once that it is, and once that it answers again. */
export function createOutage({ say, clock }: { say: (text: string) => void; clock: Clock }): Outage {
  let sinceMs: number | null = null;
  let isSaid = false;
  return {
    notice(error) {
      const isAway = isOutage(error);
      if (!isAway && !(BatonError.is(error) && error.retryable)) throw error;
      sinceMs ??= clock.monotonicMs();
      if (clock.monotonicMs() - sinceMs >= patienceMs) throw error;
      if (!isAway || isSaid) return;
      isSaid = true;
      say(`The database is away: ${textOf(error)} Agents at work continue; waiting for it.`);
    },
    over() {
      if (isSaid) say('The database answers again.');
      sinceMs = null;
      isSaid = false;
    },
  };
}

/** Looks until it succeeds. @throws what is not waited for (any longer) */
export async function outlast<T>(outage: Outage, look: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      const seen = await look();
      outage.over();
      return seen;
    } catch (error) {
      outage.notice(error);
    }
    await delay(pauseMs);
  }
}

/** The same error with the way back into the run, where the database ended the command. */
export function withWayBack(error: unknown, run: Parameters<typeof carryCommand>[0]): unknown {
  if (!BatonError.is(error) || !isOutage(error)) return error;
  const { code, message, at, fix = '', details } = error;
  const back = `The run and what its agents saved are kept: carry it on with \`${carryCommand(run)}\`.`;
  return new BatonError(code, message, {
    fix: `${fix} ${back}`.trim(),
    ...(at === undefined ? {} : { at }),
    details,
    cause: error,
  });
}

function isOutage(error: unknown): boolean {
  return isDatabaseAway(error) || BatonError.is(error, 'EMBEDDED_FAILED');
}

function textOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.endsWith('.') ? message : `${message}.`;
}
