import { tidy } from './assertions.ts';
import { indexOfLine, type CodeLine } from './live-code.ts';
import type { Sign } from './languages/language.ts';
import { compare, type TestFile } from './test-file.ts';
import { isTestName, isTestPath } from './test-paths.ts';
import { coversFailure, namesLost, neverCalled } from './unrun-tests.ts';
import type { WeakerTest } from './weaker-test.ts';

/** A line of a test that the change adds, with its file. */
interface NewLine extends CodeLine {
  file: TestFile;
}

/** Marks and calls in new lines of tests by which they are not run, cannot fail, or test something else. Pure. */
export function testSigns(tests: readonly TestFile[]): WeakerTest[] {
  const { added } = compare(tests, { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  const said = compare(tests, {
    take: ({ comments }) => comments.map((line) => ({ ...line, bare: '', isOpen: false })),
    key: ({ text }) => text,
  }).added;
  const news = (of: 'skips' | 'swallows', what: string, more: readonly NewLine[] = []): WeakerTest[] =>
    group(
      [
        ...added.filter((line) => isSign(line, { signs: line.file.language[of], text: line.bare })),
        ...said.filter((line) =>
          isSign(line, { signs: line.file.language[of], text: plainComment(line.text), isComment: true }),
        ),
        ...more,
      ],
      what,
    );
  const isNewMeaning = ({ file, bare }: NewLine) =>
    file.language.redefines.some((pattern) => pattern.test(bare));
  return [
    ...news('skips', 'tests skipped'),
    ...news(
      'swallows',
      'failures swallowed',
      added.filter((line) => isCaught(line) || coversFailure(line)),
    ),
    ...group(added.filter(isNewMeaning), 'assertions redefined'),
    ...group(added.filter(mocksItsSubject), 'subject replaced by a mock'),
    ...group(added.filter(endsEarly), 'rest of a test never run'),
    ...group(tests.flatMap(unawaited), 'assertions not awaited'),
    ...group(tests.flatMap(fewerExamples), 'examples removed'),
    ...group(tests.flatMap(neverCalled), 'assertions never run'),
    ...group(tests.flatMap(namesLost), 'tests replaced by what has their name'),
    ...group(noLongerCalled(tests), 'tests no longer called'),
  ];
}

/** One flag for each file, so that a task answers only for those that it owns. */
export function group(lines: readonly { file: TestFile; at: number }[], what: string): WeakerTest[] {
  return [...Map.groupBy(lines, ({ file }) => file.path)].map(([path, found]) => ({
    text: `${what}: ${found.length} more in ${path}:${found[0]?.at ?? 1}`,
    paths: [path],
  }));
}

function isSign(
  line: NewLine,
  { signs, text, isComment = false }: { signs: readonly Sign[]; text: string; isComment?: boolean },
): boolean {
  return signs.some(
    ({ pattern, inComments, unless, fineIfNew }) =>
      (inComments ?? false) === isComment &&
      pattern.test(text) &&
      !(unless !== undefined && line.file.after.code.some(({ bare }) => unless.test(bare))) &&
      !((fineIfNew === true || isOfPlatform(line)) && isOnNewTest(line)),
  );
}

function plainComment(text: string): string {
  return text.replace(/^(?:\/\/|\/\*+|#)\s?/, '');
}

/** A condition on the machine, which may be a good reason for a new test not to run everywhere. */
function isOfPlatform({ text }: NewLine): boolean {
  return (
    /\bskipIf\b|\brunIf\b|\bskipif\b|@(?:En|Dis)abledOn\w+|\bskipUnless\b|\btarget_os\b|\bif\b/.test(text) &&
    /process\.platform|sys\.platform|os\.name|\bOS\.[A-Z]+|version_info|target_os|RUBY_PLATFORM|runtime\.GOOS/.test(
      text,
    )
  );
}

/** Whether the test at or around a line is new, in a change that takes none away. */
function isOnNewTest({ file, at }: NewLine): boolean {
  const titles = new Set(file.before.cases.map(({ title }) => title));
  const around = [...file.after.cases].reverse().find((one) => one.at <= at && at - one.at <= 2);
  const below = file.after.cases.find((one) => one.at >= at && one.at - at <= 4);
  const own = around ?? below;
  const isNew = own !== undefined && !titles.has(own.title);
  const isWhole = file.before.cases.every(({ title }) => file.after.cases.some((one) => one.title === title));
  return isNew && isWhole;
}

/** A failing assertion is caught, and nothing follows from it. */
function isCaught({ file, at, bare }: NewLine): boolean {
  const isEmpty = /\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}|\bexcept\b[^:]*:\s*pass\b/.test(bare);
  const { code } = file.after;
  const index = indexOfLine(code, at);
  const next = code[index + 1]?.bare.trim() ?? '';
  const isOpened = /\bcatch\s*(?:\([^)]*\))?\s*\{\s*$/.test(bare) && next.startsWith('}');
  const isPassed =
    /^\s*(?:except\b.*:|rescue\b.*)\s*$/.test(bare) &&
    /^(?:pass|nil|end|return|continue|\.\.\.)\b/.test(next);
  if (!isEmpty && !isOpened && !isPassed) return false;
  const above = code.slice(Math.max(0, index - 40), index + 1).reverse();
  const begin = above.findIndex((line) => /\btry\b|\bbegin\b|\bdo\s*$/.test(line.bare));
  const tried = new Set(above.slice(0, begin + 1).map((line) => line.at));
  return begin >= 0 && file.after.assertions.some((one) => tried.has(one.at));
}

/** What a test is about: the name of its file without what makes it one. */
function subjectOf(path: string): string {
  const name = (path.split('/').at(-1) ?? '').replace(/\.[^.]+$/, '');
  return name
    .replace(/^(?:test_|Test(?=[A-Z]))|(?:[._-](?:test|spec|cy)|Tests?|TestCase|IT|Spec|_test|_spec)$/g, '')
    .toLowerCase();
}

/** A mock in place of what the file tests: its module, or a name that its own assertions call. */
function mocksItsSubject({ file, text }: NewLine): boolean {
  const replaced = file.language.mocks.flatMap((pattern) => pattern.exec(text)?.[1] ?? []);
  return replaced.some((name) => {
    const isModule = /[./]/.test(name) && file.language.name !== 'Python';
    const last = (name.split(isModule ? '/' : '.').at(-1) ?? '').replace(
      isModule ? /\.[cm]?[jt]sx?$/ : /$^/,
      '',
    );
    const isPartial = /\b(?:importOriginal|importActual|requireActual|wraps\s*=)\b/.test(text);
    if (last.toLowerCase() === subjectOf(file.path)) return !isPartial && isTestName(file.path);
    if (isModule) return false;
    const called = new RegExp(`\\b${last}\\s*[(.]|[.:]${last}\\b(?!\\s*\\.?(?:assert|called|to\\b))`);
    return file.after.assertions.some(
      (one) => called.test(one.text) && !/have_received|toHaveBeen|assert_called|verify/.test(one.text),
    );
  });
}

/** A return on its own with more of the same block below it. */
function endsEarly({ file, at, text }: NewLine): boolean {
  if (!/^\s*(?:return|return 0|break|next)\s*;?\s*$/.test(text)) return false;
  const { code } = file.after;
  const index = indexOfLine(code, at);
  const next = code[index + 1];
  if (
    next === undefined ||
    /^\s*(?:[}\])]|end\b|fi\b|else\b|elif\b|elsif\b|case\b|default\b|rescue\b|esac|;;)/.test(next.text)
  )
    return false;
  return indentOf(next.text) === indentOf(text);
}

/** A promise's assertion that lost its `await` or `return` decides nothing. */
function unawaited(file: TestFile): { file: TestFile; at: number }[] {
  const { removed, added } = compare([file], { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  const waited = new Set(
    removed
      .flatMap(({ text }) => /^\s*(?:await|return)\s+(?=expect|assert)(.*)$/.exec(text)?.[1] ?? [])
      .map(tidy),
  );
  return added.filter(({ text }) => waited.has(tidy(text))).map(({ at }) => ({ file, at }));
}

/** Rows of a table of examples that are gone. */
function fewerExamples(file: TestFile): { file: TestFile; at: number }[] {
  if (file.isDeleted) return [];
  const values = (text: string) => text.replace(/[^\w.-]+/g, ' ').trim();
  const words = file.after.code.map(({ text }) => values(text).split(' '));
  const { code, changed } = file.before;
  return code
    .filter(({ at }, index) => changed.has(at) && isExample(code, index, file))
    .filter(({ text }) => {
      const wanted = values(text).split(' ');
      return !words.some((some) => wanted.every((value) => some.includes(value)));
    })
    .map(({ at }) => ({ file, at }));
}

/** Calls of test files that a script of tests lost; one that calls another file in its place lost none. */
function noLongerCalled(tests: readonly TestFile[]): { file: TestFile; at: number }[] {
  const scripts = tests.filter(({ language }) => language.name === 'shell');
  const { removed, added } = compare(scripts, { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  const calls = (lines: typeof removed) =>
    lines.filter(({ text }) => text.split(/[\s"']+/).some((word) => isTestPath(word.replace(/^\.\//, ''))));
  return calls(removed).slice(calls(added).length);
}

/** A row under the head of a table, with nothing but rows between. */
function isExample(code: readonly CodeLine[], index: number, { language }: TestFile): boolean {
  const isRow = (text: string) =>
    /^\s*(?:[[({]|["'`\d-]|&?\w+\s*\{|\w+\(.*\),$)/.test(text) && /["'`\d]/.test(text);
  if (!isRow(code[index]?.text ?? '')) return false;
  for (let above = index - 1; above >= Math.max(0, index - 60); above--) {
    const { text = '', bare = '' } = code[above] ?? {};
    if (isRow(text) || /^[[({\s]+$/.test(bare)) continue;
    return /[[({,]\s*$/.test(bare) && language.tables.test(bare);
  }
  return false;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
