import type { CodeLine } from './live-code.ts';
import type { TestFile } from './test-file.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

/** Names that a test takes from the sources, and that a new line of it gives something of its own which an assertion calls. Pure. */
export function shadowedSubjects(file: TestFile): Found[] {
  const { code, changed, assertions } = file.after;
  if (!/^(?:JavaScript|Python)$/.test(file.language.name) || file.before.cases.length === 0) return [];
  const taken = new Set(code.flatMap(takenFrom));
  return code.flatMap(({ at, bare }) => {
    const name = changed.has(at)
      ? defines
          .exec(bare)
          ?.slice(1)
          .find((one) => one !== undefined)
      : undefined;
    if (name === undefined || !taken.has(name)) return [];
    const called = new RegExp(String.raw`(?<![\w.])${name}\s*\(`);
    return assertions.some((one) => called.test(one.text)) ? [{ file, at }] : [];
  });
}

const defines =
  /^\s*(?:(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:function\b|\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?::[^=]+)?=>|\w+\s*=>)|(?:async\s+)?function\s+(\w+)|def\s+(\w+)\s*\(|(\w+)\s*=\s*lambda\b)/;

function takenFrom({ text }: CodeLine): string[] {
  const listed =
    /^\s*import\s+(?!type\b)([^'"]*?)\s*from\s*['"][.#~@]/.exec(text)?.[1] ??
    /^\s*const\s+\{([^}]*)\}\s*=\s*require\s*\(\s*['"]\./.exec(text)?.[1] ??
    /^from\s+(?!unittest|pytest|hypothesis)[\w.]+\s+import\s+(.+)$/.exec(text)?.[1];
  return (listed ?? '').match(/\w+/g) ?? [];
}
