import { setTimeout as delay } from 'node:timers/promises';

/** How long and for what {@link until} waits. */
export interface UntilOptions {
  /** What is awaited, for the error: "the task is closed". */
  what: string;
  /** 30 000 when left out. */
  timeoutMs?: number;
  /** Pause between two looks; 20 when left out. */
  everyMs?: number;
}

type Falsy = false | 0 | '' | null | undefined;

/**
 * Waits until a look at the world gives something truthy, and returns that. The only way that tests wait: for a
 * state, never for a time. A look that throws counts as "not yet", and its error is reported if the time runs out.
 *
 * @throws Error naming what did not come about.
 */
export async function until<T>(
  look: () => T | Promise<T>,
  options: UntilOptions,
): Promise<Exclude<T, Falsy>> {
  const { what, timeoutMs = 30_000, everyMs = 20 } = options;
  const startedMs = performance.now();
  let last: unknown;
  for (;;) {
    try {
      last = await look();
      if (last) return last as Exclude<T, Falsy>;
    } catch (error) {
      last = error;
    }
    if (performance.now() - startedMs > timeoutMs) {
      const seen = last instanceof Error ? last.message : JSON.stringify(last);
      throw new Error(`After ${timeoutMs} ms still not so: ${what}. Seen last: ${seen}`, { cause: last });
    }
    await delay(everyMs);
  }
}
