import { tidy } from './assertions.ts';
import { countsFromOutside, fewerExamples, looserLimits } from './fewer-examples.ts';
import {
  calmDefaults,
  caughtAnswers,
  insteadOfAnswers,
  ownFailures,
  ownMessages,
  racedAnswers,
} from './given-answers.ts';
import { filteredExamples, rewrittenRecordings, unreadValues } from './hollow-examples.ts';
import { doubledSubjects } from './doubled-subjects.ts';
import { otherWorlds } from './given-world.ts';
import { newExceptions } from './left-out.ts';
import { indentOf } from './languages/body.ts';
import { earlySignals } from './early-signals.ts';
import { indexOfLine, type CodeLine } from './live-code.ts';
import type { Sign } from './languages/language.ts';
import { compare, type TestFile } from './test-file.ts';
import { alikeByCall, ownMatchers, reorderedExamples } from './lost-differences.ts';
import { subjectOf } from './replaced-subject.ts';
import { shadowedSubjects } from './shadowed-subjects.ts';
import { isTestPath } from './test-paths.ts';
import { unfoundCases } from './unfound-cases.ts';
import {
  changedHooks,
  coversFailure,
  lostBases,
  lostCalls,
  namesLost,
  neverAwaited,
  neverCalled,
} from './unrun-tests.ts';
import { isCaught, leavesEarly, unsureAssertions } from './unsure-tests.ts';
import {
  behindFailure,
  doneEarly,
  endsWithShorter,
  lostErrexit,
  lostStrictness,
  lostThrows,
  selfProofs,
} from './self-proofs.ts';
import { calmBlocks, replacedParts, setBeforeAsserted, shadowedCommands } from './set-values.ts';
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
  const before = assertedBefore(tests);
  const news = (of: 'skips' | 'swallows', what: string, more: readonly NewLine[] = []): WeakerTest[] =>
    group(
      [
        ...added.filter((line) => isSign(line, { signs: line.file.language[of], before })),
        ...said.filter((line) => isSign(line, { signs: line.file.language[of], before, isComment: true })),
        ...more,
      ],
      what,
    );
  const isNewMeaning = ({ file, text, bare }: NewLine) =>
    file.language.redefines.some((pattern) => pattern.test(bare) || beginsInCode(pattern, { text, bare }));
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
    ...group(
      added.filter((line) => leavesEarly(line, { before })),
      'rest of a test not always run',
    ),
    ...group(
      tests.flatMap((file) => unsureAssertions(file, { added, before })),
      'assertions not always run',
    ),
    ...signsOfOne.flatMap(([find, what]) => group(tests.flatMap(find), what)),
    ...group(
      tests.flatMap((file) => fewerExamples(file, tests)),
      'examples removed',
    ),
    ...group(noLongerCalled(tests), 'tests no longer called'),
    ...group(shadowedCommands(tests), 'subject replaced by one of the test'),
    ...group(lostThrows(tests), 'failures of helpers removed'),
    ...group([...tests.flatMap(behindFailure), ...tests.flatMap(doneEarly)], 'assertions never reached'),
  ];
}

/** What a file shows by itself, and what it is called. */
const signsOfOne: readonly (readonly [
  find: (file: TestFile) => { file: TestFile; at: number }[],
  what: string,
])[] = [
  [unawaited, 'assertions not awaited'],
  [filteredExamples, 'examples left out'],
  [unreadValues, 'expected values never read'],
  [rewrittenRecordings, 'recorded expectations written by their test'],
  [looserLimits, 'limits of tests loosened'],
  [lostBases, 'tests that are no longer a test case'],
  [neverCalled, 'assertions never run'],
  [changedHooks, 'hooks that change results'],
  [lostCalls, 'tests no longer called'],
  [neverAwaited, 'tests that never run'],
  [namesLost, 'tests replaced by what has their name'],
  [setBeforeAsserted, 'values set before they are asserted'],
  [replacedParts, 'subject replaced by a mock'],
  [calmBlocks, 'failures swallowed by a helper'],
  [calmDefaults, 'failures swallowed by a helper'],
  [selfProofs, 'values compared with themselves'],
  [endsWithShorter, 'assertions not always run'],
  [caughtAnswers, 'failures swallowed'],
  [insteadOfAnswers, 'values that the test gives itself'],
  [racedAnswers, 'values that the test gives itself'],
  [ownFailures, 'failures that the test makes itself'],
  [ownMessages, 'values that the test gives itself'],
  [alikeByCall, 'comparisons of what a new call makes alike'],
  [ownMatchers, 'assertions redefined'],
  [reorderedExamples, 'examples put in another order'],
  [lostStrictness, 'strict assertions made loose'],
  [lostErrexit, 'failures swallowed'],
  [shadowedSubjects, 'subject replaced by one of the test'],
  [unfoundCases, 'tests that no runner finds any more'],
  [earlySignals, 'values that the test gives itself'],
  [countsFromOutside, 'examples counted by the environment'],
  [newExceptions, 'parts left out of what a test compares'],
  [otherWorlds, 'tests given another day, zone, language or chance'],
  [doubledSubjects, 'subject replaced by a mock'],
];

/** One flag for each file, so that a task answers only for those that it owns. */
export function group(lines: readonly { file: TestFile; at: number }[], what: string): WeakerTest[] {
  return [...Map.groupBy(lines, ({ file }) => file.path)].map(([path, found]) => ({
    text: `${what}: ${found.length} more in ${path}:${found[0]?.at ?? 1}`,
    paths: [path],
  }));
}

/** How much each test asserted before the change, by its title. */
function assertedBefore(tests: readonly TestFile[]): Map<string, number> {
  return new Map(tests.flatMap((file) => file.before.cases.map((one) => [one.title, one.assertions])));
}

function isSign(
  line: NewLine,
  {
    signs,
    before,
    isComment = false,
  }: { signs: readonly Sign[]; before: ReadonlyMap<string, number>; isComment?: boolean },
): boolean {
  const said = isComment ? plainComment(line.text) : line.bare;
  return signs.some(
    ({ pattern, inComments, inStrings, unless, fineIfNew, fineIn }) =>
      (inComments ?? false) === isComment &&
      [inStrings ? line.text : said, plainMark(said)].some((text) => pattern.test(text)) &&
      fineIn?.(line.file.after.code, line) !== true &&
      !(unless !== undefined && line.file.after.code.some(({ bare }) => unless.test(bare))) &&
      !((fineIfNew === true || isOfPlatform(line)) && isOnNewTest(line, before)),
  );
}

/** Whether a pattern is found in a line with its strings, but begins in none of them. */
function beginsInCode(pattern: RegExp, { text, bare }: { text: string; bare: string }): boolean {
  const at = text.search(pattern);
  return at >= 0 && bare.slice(at, at + 2) === text.slice(at, at + 2);
}

/** A mark without the package that its name is in. */
function plainMark(bare: string): string {
  return bare.replace(/(^\s*(?:#?\[|@)\s*|,\s*)(?:\\?[A-Za-z_]\w*(?:\\|\.|::))+(?=[A-Z])/g, '$1');
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

/** Whether the test at or around a line is new, or all of a new file, in a change that takes none away. */
function isOnNewTest({ file, at }: NewLine, before: ReadonlyMap<string, number>): boolean {
  const isNew = ({ title }: { title: string }) => !before.has(title);
  if (file.before.code.length === 0 && file.after.cases.length > 0) return file.after.cases.every(isNew);
  const around = [...file.after.cases].reverse().find((one) => one.at <= at && at - one.at <= 2);
  const below = file.after.cases.find((one) => one.at >= at && one.at - at <= 4);
  const own = around ?? below;
  const isWhole = file.before.cases.every(({ title }) => file.after.cases.some((one) => one.title === title));
  return own !== undefined && isNew(own) && isWhole;
}

/** A mock in place of what the file tests: its module, or a name that its own assertions call. */
function mocksItsSubject({ file, text }: NewLine): boolean {
  const replaced = file.language.mocks.flatMap((pattern) => pattern.exec(text)?.[1] ?? []);
  return replaced.some((name) => {
    if (isOfPlatformLibrary(file, name) || isOfOldDouble(file, text)) return false;
    const isModule = /[./]/.test(name) && file.language.name !== 'Python';
    const last = (name.split(isModule ? '/' : '.').at(-1) ?? '').replace(
      isModule ? /\.[cm]?[jt]sx?$/ : /$^/,
      '',
    );
    const isPartial = /\b(?:importOriginal|importActual|requireActual|wraps\s*=)\b/.test(text);
    if (last.toLowerCase() === subjectOf(file.path))
      return !isPartial && file.isFound && isTestPath(file.path);
    if (isModule) return false;
    const called = new RegExp(`\\b${last}\\s*[(.]|[.:]${last}\\b(?!\\s*\\.?(?:assert|called|to\\b))`);
    return file.after.assertions.some(
      (one) => called.test(one.text) && !/have_received|toHaveBeen|assert_called|verify/.test(one.text),
    );
  });
}

/** Whether what gets an answer was a double before: one more answer of it is none of the subject. */
function isOfOldDouble({ before }: TestFile, text: string): boolean {
  const name = /\b(?:when|whenever|given|every)\s*[({]\s*(\w+)\s*[.)]/.exec(text)?.[1];
  if (name === undefined) return false;
  const made = new RegExp(
    String.raw`(?:\b${name}\s*(?::[^=]*)?=\s*(?:Mockito\.)?mockk?\s*[(<])|@(?:Mock|MockK|MockBean)\b.*\b${name}\s*;?\s*$`,
  );
  return before.code.some(({ bare }) => made.test(bare));
}

/** Whether a class is one of the language's own library, which no test here is about. */
function isOfPlatformLibrary({ after }: TestFile, name: string): boolean {
  return after.code.some(({ bare }) =>
    new RegExp(`^\\s*import\\s+(?:java|javax|kotlin|scala)\\.[\\w.]*\\.${name}\\b`).test(bare),
  );
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

/** A promise of an assertion or of a test inside that lost its `await` or `return`, or never had one, decides nothing. */
function unawaited(file: TestFile): { file: TestFile; at: number }[] {
  const { removed, added } = compare([file], { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  const waited = new Set(
    removed
      .flatMap(({ text }) => /^\s*(?:await|return)\s+(.*)$/.exec(text)?.[1] ?? [])
      .map(tidy)
      .filter((text) => /^(?:expect|assert)|=>|\bfunction\b|\basync\b/.test(text)),
  );
  return added
    .filter(({ at, text, bare }) => {
      if (waited.has(tidy(text).replace(/^(?:void |_ = )/, ''))) return true;
      const above = file.after.code[indexOfLine(file.after.code, at) - 1]?.bare ?? '';
      return (
        file.language.name === 'JavaScript' &&
        /^\s*(?:void\s+)?expect\s*\(.*\)\s*\.(?:resolves|rejects)\b/.test(bare) &&
        !/(?:[[(,]|=>|\breturn|\bawait)\s*$/.test(above)
      );
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
