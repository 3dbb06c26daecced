import { tidy } from './assertions.ts';
import { indentOf } from './languages/body.ts';
import type { CodeLine } from './live-code.ts';
import { compare, type TestFile } from './test-file.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

/** What says that something has happened which a test waits for. */
const signal =
  /\b(\w+)\.(?:fulfill|countDown|Signal|signal|complete|TrySetResult|SetResult|release|Set|set)\s*\([^()]*\)/;

/** Signals that the code under test gave from a function of its own, and that a test there was now gives itself. Pure. */
export function earlySignals(file: TestFile): Found[] {
  const { removed, added } = compare([file], { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  const gone = removed.flatMap((line) => {
    const name = signal.exec(line.bare)?.[1];
    return name !== undefined && isInside(file.before.code, line, name) ? [name] : [];
  });
  const kept = new Set(
    file.after.code.flatMap((line) => {
      const name = signal.exec(line.bare)?.[1];
      return name !== undefined && isInside(file.after.code, line, name) ? [name] : [];
    }),
  );
  return added
    .filter((line) => {
      const name = signal.exec(line.bare)?.[1];
      return (
        name !== undefined && gone.includes(name) && !kept.has(name) && !isInside(file.after.code, line, name)
      );
    })
    .map(({ at }) => ({ file, at }));
}

/** Whether a signal is given inside of a function: on its line, or deeper than its name was made. */
function isInside(code: readonly CodeLine[], { at, bare, text }: CodeLine, name: string): boolean {
  const head = bare.slice(0, bare.search(signal));
  if (/\{|=>|->|\bfn\b/.test(head)) return true;
  const made = code.findLast(
    (line) => line.at < at && new RegExp(String.raw`(?:\b${name}\b\s*(?::[^=]+)?=(?!=))`).test(line.bare),
  );
  return made !== undefined && indentOf(text) > indentOf(made.text);
}
