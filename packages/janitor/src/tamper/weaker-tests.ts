import type { Assertion } from './assertions.ts';
import { tidy } from './assertions.ts';
import { changeBegins, type ChangedFile } from './changed-file.ts';
import { callsHelper, lostAssertions, type Lost } from './lost-assertions.ts';
import { compare, type TestFile } from './test-file.ts';
import { isSnapshot, isTestName } from './test-paths.ts';
import { weakerDoctests } from './doctests.ts';
import { changedData } from './changed-data.ts';
import { fewerData } from './fewer-data.ts';
import { group, testSigns } from './test-signs.ts';
import { mockedAnswers } from './mocked-answers.ts';
import { ownSubjects } from './own-subject.ts';
import { replacedSubjects } from './replaced-subject.ts';
import { stubbed } from './unrun-tests.ts';
import type { WeakerTest } from './weaker-test.ts';

/** A line of a file, as a reason names it. */
interface Place {
  path: string;
  at: number;
}

/**
 * Flags a change that makes the tests prove less. It is looked at as a whole, so that what moves from file to file, gets another name,
 * becomes a row of a table or a call of a helper is no weakening. Pure.
 */
export function weakerTests(files: readonly ChangedFile[], tests: readonly TestFile[]): WeakerTest[] {
  const lost = lostOf(tests);
  const subjects = [...replacedSubjects(tests, files), ...ownSubjects(tests)];
  return [
    ...caseFlags(tests, lost),
    ...assertionFlags(lost, tests),
    ...testSigns(tests),
    ...group(stubbed(tests, files), 'tests that a stub runs'),
    ...group(mockedAnswers(tests, files), 'values that the test gives itself'),
    ...group(subjects, 'subject replaced by one of the test'),
    ...fewerData(files),
    ...changedData(files),
    ...weakerDoctests(files),
    ...lostFileFlags(tests),
    ...snapshotFlags(files),
  ];
}

function lostOf(tests: readonly TestFile[]): Lost[] {
  const { removed, added } = compareAssertions(tests);
  const helpers = new Set(tests.flatMap(helpersOf));
  const lines = compare(tests, { take: ({ code }) => code, key: ({ text }) => tidy(text) })
    .added.filter(
      ({ at, text, file }) =>
        callsHelper(text, helpers) ||
        takesValue.test(text) ||
        !file.after.assertions.some((one) => one.at === at),
    )
    .map(({ at, text, file }) => ({ path: file.path, at, text }));
  const inLine = tests.flatMap(rowsInLine);
  return lostAssertions({ removed, added, plain: [...lines, ...inLine], helpers });
}

/** A line that gives what an assertion answers a name. */
const takesValue = /^\s*(?:[\w<>,.]+\s+)+=\s*(?:await\s+)?(?:\w+\.)?(?:assert\w+|expect\w+|shouldThrow\w*)/;

/** Rows of tables that are on the line of the assertion about them. */
function rowsInLine({ path, language, after }: TestFile): { path: string; at: number; text: string }[] {
  const asserted = new Set(after.assertions.map(({ at }) => at));
  return after.code
    .filter(({ at, bare }) => after.changed.has(at) && asserted.has(at) && language.tables.test(bare))
    .flatMap(({ at, text }) =>
      (text.match(/[[({][^[\](){}]*,[^[\](){}]*[\])}]/g) ?? [])
        .filter((row) => !isArgument(after.assertions, { at, row }))
        .map((row) => ({ path, at, text: row })),
    );
}

/** Whether a list is what an assertion compares, and no table that it is asked about. */
function isArgument(assertions: readonly Assertion[], { at, row }: { at: number; row: string }): boolean {
  return assertions.some((one) => one.at === at && one.text.includes(tidy(row)));
}

/** Functions that tests define, and whose next lines assert. */
function helpersOf({ after }: TestFile): string[] {
  return after.code.flatMap(({ text }, index) => {
    const name =
      /\b(?:function|def|fn|func|fun|void)\s+(\w+)|\b(?:const|let)\s+(\w+)\s*=\s*(?:async\s*)?\(|^\s*(\w+)\s*\(\)\s*\{/
        .exec(text)
        ?.slice(1)
        .find((group) => group !== undefined);
    const body = after.code.slice(index, index + 12);
    const asserts = after.assertions.some(
      ({ at, strength }) => strength >= 0 && body.some((line) => line.at === at),
    );
    return name !== undefined && asserts ? [name] : [];
  });
}

function compareAssertions(tests: readonly TestFile[]): ReturnType<typeof compare<Assertion>> {
  return compare(tests, { take: ({ assertions }) => assertions, key: ({ text }) => text });
}

function caseFlags(tests: readonly TestFile[], lost: readonly Lost[]): WeakerTest[] {
  const count = (side: 'before' | 'after') => tests.reduce((sum, file) => sum + file[side].cases.length, 0);
  const fewer = count('before') - count('after');
  if (fewer <= 0) return [];
  const gone = compare(tests, { take: ({ cases }) => cases, key: ({ title }) => title }).removed;
  // Tests that were put together: all that they asserted is asserted still, by tests.
  const loose = (side: 'before' | 'after') => tests.reduce((sum, file) => sum + file[side].loose, 0);
  const asserted = gone.every((one) => one.assertions > 0);
  if (lost.length === 0 && asserted && gone.length > 0 && loose('after') <= loose('before')) return [];
  const where = gone.map(({ at, file }) => ({ path: file.path, at }));
  return [flag(`tests removed: ${fewer} fewer, in ${places(where)}`, where)];
}

function assertionFlags(lost: readonly Lost[], tests: readonly TestFile[]): WeakerTest[] {
  const of = (kind: Lost['kind']) => lost.filter((one) => one.kind === kind);
  const now = (some: readonly Lost[]) => some.map((one) => one.now ?? one.was);
  const [gone, weaker, other] = [of('gone').map(({ was }) => was), now(of('weaker')), now(of('other'))];
  const told = new Set(weaker.map(({ path, at }) => `${path}:${at}`));
  const hollow = compareAssertions(tests).added.filter(
    (one) => one.strength < 0 && !told.has(`${one.path}:${one.at}`) && !comparesByValue(one),
  );
  return [
    ...(gone.length === 0
      ? []
      : [flag(`assertions removed: ${gone.length} fewer, in ${places(gone)}`, gone)]),
    ...(weaker.length === 0
      ? []
      : [flag(`assertions weakened: ${weaker.length}, in ${places(weaker)}`, weaker)]),
    ...(other.length === 0
      ? []
      : [flag(`expected values changed: ${other.length}, in ${places(other)}`, other)]),
    ...(hollow.length === 0
      ? []
      : [flag(`assertions that are always true: ${hollow.length}, in ${places(hollow)}`, hollow)]),
  ];
}

/** Two objects that a new test makes in the same way are equal only by what their class says: no value compared with itself. */
function comparesByValue({ text, at, file: { before, after } }: Assertion & { file: TestFile }): boolean {
  const owner = after.cases.find((one) => one.at === after.owners.get(at));
  const isNew = owner !== undefined && !before.cases.some(({ title }) => title === owner.title);
  return isNew && (text.match(/\bnew\s+[A-Z]\w*\s*\(/g) ?? []).length === 2;
}

/** Tests that are still there, in files that runners no longer find. */
function lostFileFlags(tests: readonly TestFile[]): WeakerTest[] {
  const count = (isFound: boolean) =>
    tests
      .filter((file) => file.isFound === isFound)
      .reduce((sum, { before, after }) => sum + after.cases.length - before.cases.length, 0);
  const hidden = tests.filter((file) => !file.isFound && file.after.cases.length > file.before.cases.length);
  const isHidden = count(true) < 0 && count(false) > 0;
  const empty = tests.filter(
    ({ path, isDeleted, before }) => isDeleted && isTestName(path) && before.cases.length === 0,
  );
  return [
    ...(isHidden
      ? [
          flag(
            `tests where no runner looks: ${places(hidden.map(({ path, after }) => ({ path, at: after.cases[0]?.at ?? 1 })))}`,
            hidden,
          ),
        ]
      : []),
    ...empty.map((file) => flag(`test file deleted: ${file.path}:1`, [file])),
  ];
}

function snapshotFlags(files: readonly ChangedFile[]): WeakerTest[] {
  const rewritten = files
    .filter((file) => isSnapshot(file.path) && file.removed.length > 0)
    .map((file) => ({ path: file.path, at: changeBegins(file) }));
  if (rewritten.length === 0) return [];
  return [flag(`recorded expectations rewritten: ${places(rewritten)}`, rewritten)];
}

function flag(text: string, where: readonly { path: string }[]): WeakerTest {
  return { text, paths: [...new Set(where.map(({ path }) => path))] };
}

function places(where: readonly Place[]): string {
  const names = [...new Set(where.map(({ path, at }) => `${path}:${at}`))];
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}
