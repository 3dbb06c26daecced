const longestTimerMs = 2 ** 31 - 1; // a longer one would fire at once
/** How long a helper may say nothing after a program was to end. */
export const patienceMs = 5_000;
/** How long it may take to answer: one that was stopped together with this process continues at the same moment. */
export const answerMs = 3_000;

/** What the watch needs of a helper. */
export interface Watched {
  /** How many messages have come from it. */
  heard(): number;
  /** Asks for a sign of life, which comes as a message. */
  ask(): void;
  kill(): void;
  /** Whether something is due from it; left out: always. */
  isDue?(): boolean;
}

/**
 * Kills a helper that says nothing: stopped, it would hold a program beyond each time limit. One that answers is left alone, whatever
 * the program does: others run in its care. Returns what ends the watch; `holds`: it keeps this process up.
 */
export function watchHelper(
  helper: Watched,
  { ms, holds = true }: { ms: number; holds?: boolean },
): () => void {
  let timer = later(ask, Math.min(ms, longestTimerMs));
  function later(act: () => void, afterMs: number): NodeJS.Timeout {
    const made = setTimeout(act, afterMs);
    return holds ? made : made.unref();
  }
  function ask(): void {
    if (helper.isDue?.() === false) {
      timer = later(ask, patienceMs);
      return;
    }
    const before = helper.heard();
    helper.ask();
    timer = later(() => {
      if (helper.heard() === before) helper.kill();
      else timer = later(ask, patienceMs);
    }, answerMs);
  }
  return () => clearTimeout(timer);
}
