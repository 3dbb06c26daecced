const longestTimerMs = 2 ** 31 - 1; // a longer one would fire at once
/** How long a helper may say nothing after a program was to end. */
export const patienceMs = 10_000;
/** How long it may take to answer: one that was stopped together with this process continues at the same moment. */
export const answerMs = 3_000;

/** What the watch needs of a helper. */
export interface Watched {
  /** How many messages have come from it. */
  heard(): number;
  /** Asks for a sign of life, which comes as a message. */
  ask(): void;
  kill(): void;
}

/**
 * Kills a helper that says nothing: stopped, it would hold a program beyond each time limit. One that answers is left alone, whatever
 * the program does: others run in its care. Returns what ends the watch.
 */
export function watchHelper(helper: Watched, { ms }: { ms: number }): () => void {
  let timer = setTimeout(ask, Math.min(ms, longestTimerMs));
  function ask(): void {
    const before = helper.heard();
    helper.ask();
    timer = setTimeout(() => {
      if (helper.heard() === before) helper.kill();
      else timer = setTimeout(ask, patienceMs);
    }, answerMs);
  }
  return () => clearTimeout(timer);
}
