import { posix } from 'node:path';
import type { ChangedFile } from './changed-file.ts';
import type { CodeLine } from './live-code.ts';
import { compare, type TestFile } from './test-file.ts';
import { tidy } from './assertions.ts';
import { isTestName, isTestPath } from './test-paths.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

const defines =
  /^\s*(?:(?:export|public|private|internal|final|static|abstract|open|data|async)\s+)*(?:class|function\*?|def|struct|enum|object|module|const|let|var)\s+(?:self\.)?(\w+)/;

/** What a test is about: the name of its file without what makes it one. Pure. */
export function subjectOf(path: string): string {
  const name = (path.split('/').at(-1) ?? '').replace(/\.[^.]+$/, '');
  return name
    .replace(/^(?:test_|Test(?=[A-Z]))|(?:[._-](?:test|spec|cy)|Tests?|TestCase|IT|Spec|_test|_spec)$/g, '')
    .toLowerCase();
}

/**
 * What a test is about is no longer that of the sources: the test defines it itself, or takes it from a new file beside the tests that
 * does not load the sources. Pure.
 */
export function replacedSubjects(tests: readonly TestFile[], files: readonly ChangedFile[]): Found[] {
  const { removed, added } = compare(tests, { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  return tests.flatMap((file) => {
    const isHelper = isTestPath(file.path) && !isTestName(file.path);
    if (!isHelper && (!isTestName(file.path) || file.before.cases.length === 0)) return [];
    const gone = removed
      .filter((line) => line.file === file)
      .flatMap(importOf)
      .filter(({ from }) => !isHelper || file.language.name !== 'JavaScript' || /^[.#~]|^@\//.test(from));
    const names = new Set(gone.flatMap((one) => one.names));
    const about = subjectOf(file.path).replace(/_/g, '');
    const fresh = added.filter((line) => line.file === file);
    const own = fresh.filter(({ bare, text }) => {
      const name = importOf({ text }).length > 0 ? undefined : defines.exec(bare)?.[1];
      return (
        name !== undefined &&
        (names.has(name) ||
          (!isHelper && /\b(?:class|module|struct|object)\b/.test(bare) && name.toLowerCase() === about)) &&
        !/\brequire\s*\(|\bimport\s*\(/.test(bare)
      );
    });
    const other = fresh.filter((line) =>
      importOf(line).some(
        ({ from, names: taken }) =>
          taken.some((name) => names.has(name)) &&
          isStandIn({ from, was: gone.map((one) => one.from) }, files),
      ),
    );
    return [...own, ...other].map(({ at }) => ({ file, at }));
  });
}

/** Names that a line takes from elsewhere, and from where. */
function importOf({ text }: Pick<CodeLine, 'text'>): { names: string[]; from: string }[] {
  const [, listed = '', from = ''] =
    /^\s*import\s+(?:type\s+)?([^'"]*?)\s*from\s*['"]([^'"]+)['"]/.exec(text) ??
    /^\s*(?:const|let|var)\s+(.*?)\s*=\s*(?:await\s+import|require)\s*\(\s*['"]([^'"]+)['"]/.exec(text) ??
    [];
  if (from !== '') return [{ names: wordsOf(listed), from }];
  const [, module = '', names = ''] = /^\s*from\s+([\w.]+)\s+import\s+(.+)$/.exec(text) ?? [];
  return module === '' ? [] : [{ names: wordsOf(names), from: module.replaceAll('.', '/') }];
}

function wordsOf(text: string): string[] {
  return (text.match(/\w+/g) ?? []).filter((word) => word !== 'as' && word !== 'type');
}

/** Whether a module is a new file of tests that loads none of those it takes the place of. */
function isStandIn(
  { from, was }: { from: string; was: readonly string[] },
  files: readonly ChangedFile[],
): boolean {
  const plain = (name: string) => posix.basename(name).replace(/\.[cm]?[jt]sx?$|\.py$/, '');
  const found = files.find(
    ({ path, before, after }) =>
      before.length === 0 &&
      after.length > 0 &&
      plain(path) === plain(from) &&
      (isTestPath(path) || /(^|\/)(?:fakes?|stubs?|mocks?)\b/.test(path)),
  );
  if (found === undefined) return false;
  const text = found.after.map((line) => line.text).join('\n');
  return !was.some((name) =>
    new RegExp(`\\b(?:from|import|require)\\b.*\\b${plain(name).replace(/[^\w]/g, '.')}\\b`).test(text),
  );
}
