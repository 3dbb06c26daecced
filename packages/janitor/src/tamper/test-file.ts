import { assertionsOf, tidy, type Assertion } from './assertions.ts';
import type { ChangedFile } from './changed-file.ts';
import { liveCode, type CodeLine, type Live } from './live-code.ts';
import { languageOf } from './languages/all.ts';
import { onlyOnce, type Side } from './moved-lines.ts';
import type { Language } from './languages/language.ts';
import { isTestPath } from './test-paths.ts';

/** One version of the tests of a file. */
export interface TestSide {
  code: CodeLine[];
  comments: Live['comments'];
  /** Lines that git says are only on this side. */
  changed: ReadonlySet<number>;
  /** Where tests begin, what names them, and how much each asserts. */
  cases: { at: number; title: string; assertions: number }[];
  /** Line of the test that a line is in. */
  owners: ReadonlyMap<number, number>;
  /** Assertions outside of all tests, such as those of helpers. */
  loose: number;
  assertions: Assertion[];
}

/** A changed file of tests, before and after. */
export interface TestFile {
  path: string;
  language: Language;
  /** Whether its runner finds it by its name. */
  isFound: boolean;
  isDeleted: boolean;
  before: TestSide;
  after: TestSide;
}

/** Reads the tests of changed files; sources that hold tests themselves give the part that does. Pure. */
export function testFiles(files: readonly ChangedFile[]): TestFile[] {
  return files.flatMap((file) => {
    const language = languageOf(file.path);
    const isTest = isTestPath(file.path) || loadsTests(file);
    if (!isTest && language.inline === undefined) return [];
    const side = (lines: ChangedFile['before'], changed: ChangedFile['added']) =>
      readSide(lines, { path: file.path, language, isTest, changed });
    const [before, after] = [side(file.before, file.removed), side(file.after, file.added)];
    if (!isTest && before.code.length === 0 && after.code.length === 0) return [];
    const isFound = !isTest || isLookedFor(file.path, language);
    return [{ path: file.path, language, isFound, isDeleted: file.after.length === 0, before, after }];
  });
}

const library =
  /(?:from|import|require)\s*\(?\s*['"](?:node:test|vitest|@jest\/globals|@playwright\/test|ava|tape|tap|uvu|bun:test)['"]/;

/** Whether a source is one of tests by what it loads, whatever its name is. */
function loadsTests({ path, before, after }: ChangedFile): boolean {
  return (
    languageOf(path).name === 'JavaScript' && [...before, ...after].some(({ text }) => library.test(text))
  );
}

function readSide(
  lines: ChangedFile['before'],
  {
    path,
    language,
    isTest,
    changed,
  }: { path: string; language: Language; isTest: boolean; changed: ChangedFile['added'] },
): TestSide {
  const live = liveCode(lines, language.syntax);
  const begin = isTest ? 0 : live.code.findIndex(({ bare }) => language.inline?.test(bare) === true);
  const code = begin < 0 ? [] : live.code.slice(begin);
  const from = code[0]?.at ?? Infinity;
  const assertions = assertionsOf(code, { path, language });
  const begins = code.flatMap((line, index) =>
    Array.from(line.bare.matchAll(language.cases), () => ({
      at: line.at,
      title: titleOf(line, code[index + 1]),
    })),
  );
  const owners = ownersOf(code, new Set(begins.map(({ at }) => at)));
  return {
    code,
    changed: new Set(changed.map(({ at }) => at)),
    comments: isTest ? live.comments : live.comments.filter(({ at }) => at >= from),
    cases: begins.map((one) => ({
      ...one,
      assertions: assertions.filter(({ at }) => owners.get(at) === one.at).length,
    })),
    owners,
    loose: assertions.filter(({ at }) => owners.get(at) === undefined).length,
    assertions,
  };
}

const beginsFunction =
  /^\s*(?:export\s+)?(?:async\s+)?(?:def|func|function|fun)\b|^\s*(?:pub\s+)?(?:async\s+)?fn\b|^\s*(?:const|let)\s+\w+\s*=\s*(?:async\s*)?\([^)]*\)\s*(?::[^=]+)?=>|^\s*(?:(?:public|private|protected|static|final|override|suspend)\s+)+.*\(|^\s*void\s+\w+\s*\(/;

/** The beginning of the test that each line is in, if it is in any: the last function above it decides. */
function ownersOf(code: readonly CodeLine[], begins: ReadonlySet<number>): Map<number, number> {
  const owners = new Map<number, number>();
  let owner: number | undefined;
  let isMarked = false;
  for (const { at, bare } of code) {
    if (begins.has(at)) owner = at;
    // A mark such as `@Test` is above its function, perhaps with others between.
    else if (beginsFunction.test(bare) && !isMarked) owner = undefined;
    isMarked = begins.has(at) ? !beginsFunction.test(bare) : isMarked && /^\s*(?:@|#\[|\[)/.test(bare);
    if (owner !== undefined) owners.set(at, owner);
  }
  return owners;
}

function isLookedFor(path: string, { found, lost }: Language): boolean {
  return lost?.test(path) !== true && (found === undefined || found.test(path));
}

/** What names a test: its first string, or else the name of its function, which may stand below its mark. */
function titleOf({ text }: CodeLine, next: CodeLine | undefined): string {
  const isMark = /^\s*(?:@|#\[|\[)/.test(text) && !/\b(?:void|fun|fn)\b/.test(text);
  const line = isMark && !/["']/.test(text) ? (next?.text ?? text) : text;
  return (
    /(["'`])(.*?)\1/.exec(line)?.[2] ??
    /\b(?:def|func|fn|void|fun|int|function|Task(?:<[^>]*>)?)\s+(\w+)/.exec(line)?.[1] ??
    /\(\s*(\w+\s*(?:,\s*\w+)?)/.exec(line)?.[1] ??
    tidy(line)
  );
}

/** The same kind of thing of all files, before or after, for comparing the two. */
function sideOf<T extends { at: number }>(
  tests: readonly TestFile[],
  which: { side: 'before' | 'after'; take: (side: TestSide) => readonly T[] },
): Side<T & { file: TestFile }> {
  return {
    items: tests.flatMap((file) => which.take(file[which.side]).map((item) => ({ ...item, file }))),
    isChanged: ({ at, file }) => file[which.side].changed.has(at),
  };
}

/** What of all files is only before and only after. Pure. */
export function compare<T extends { at: number }>(
  tests: readonly TestFile[],
  { take, key }: { take: (side: TestSide) => readonly T[]; key: (item: T) => string },
): { removed: (T & { file: TestFile })[]; added: (T & { file: TestFile })[] } {
  const before = sideOf(tests, { side: 'before', take });
  const after = sideOf(tests, { side: 'after', take });
  return onlyOnce({ before, after }, key);
}
