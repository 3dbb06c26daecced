import type { ChangedFile, Line } from './changed-file.ts';
import { isTestData } from './test-paths.ts';
import type { WeakerTest } from './weaker-test.ts';

/** Rows and values in data of tests that are other ones than before; what is only moved, longer or formatted is none. Pure. */
export function changedData(files: readonly ChangedFile[]): WeakerTest[] {
  const data = files.filter(({ path }) => isTestData(path) && !ofTools.test(path));
  const kept = new Set(data.flatMap(({ after }) => after.map(({ text }) => wordsOf(text).join(' '))));
  return data.flatMap(({ path, removed, added }) => {
    const other = added.filter((line) =>
      removed.some((was) => !kept.has(wordsOf(was.text).join(' ')) && isChanged(line, was)),
    );
    const [first] = other;
    if (first === undefined) return [];
    return [{ text: `values of examples changed: ${other.length}, in ${path}:${first.at}`, paths: [path] }];
  });
}

/** Data below a folder of tests that no test reads. */
const ofTools = /(^|\/)(?:package|tsconfig[\w.-]*|composer|deno|project|requirements[\w.-]*)\.\w+$|lock/;

function wordsOf(text: string): string[] {
  return text.match(/[^\s,;:{}[\]"'|<>=]+/g) ?? [];
}

/** Whether a line has the names and most values of another, and a value in place of one of its own. */
function isChanged({ text }: Line, was: Line): boolean {
  const [now, old] = [wordsOf(text), wordsOf(was.text)];
  const differs = now.filter((word, nth) => word !== old[nth]).length;
  return (
    now.length > 1 &&
    now.length === old.length &&
    now[0] === old[0] &&
    differs > 0 &&
    2 * differs <= now.length
  );
}
