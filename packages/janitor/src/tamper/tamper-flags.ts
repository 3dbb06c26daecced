import { posix } from 'node:path';
import type { Gate } from '@baton/contracts';
import { gitFailed } from '../run-git.ts';
import { definitionFlags } from './definition-flags.ts';
import { unexplainedRuns, type TestRun } from './fewer-tests.ts';
import { hasGateLines, isLockFile } from './gate-files.ts';
import { hidesPaths } from './hidden-paths.ts';
import { isSource, languageOf } from './languages/all.ts';
import { namesGates, namesTests } from './owns-tests.ts';
import {
  findTogether,
  listChangedPaths,
  measureChange,
  readFiles,
  type ChangedPath,
  type ChangeRange,
  type MeasuredChange,
} from './read-change.ts';
import { isTestSettings, type KnownSetting } from './known-settings.ts';
import { readsOfTests, writtenRecordings } from './shared-recordings.ts';
import { sourceSigns, type SpecialCase } from './source-signs.ts';
import { standIns } from './stand-ins.ts';
import { testFiles } from './test-file.ts';
import { isSnapshot, isTestData, isTestPath } from './test-paths.ts';
import { unseenTests } from './unseen-tests.ts';
import { weakerTests } from './weaker-tests.ts';

/** A change, the gates it must pass, and what the task's instructions were to edit. */
export interface TamperOptions extends ChangeRange {
  gates: readonly Gate[];
  /** The change in full, as the candidate gives it; listed again when left out. */
  changes?: readonly ChangedPath[];
  /** Files that the plan gives to this task by their exact name: asked for, so not flagged as edits of a gate's definition. */
  owned?: readonly string[];
  /** Role of the task: one that writes tests owns them all. */
  role?: string;
  /** What green gates counted on the head and with the change, where they may have run fewer tests. */
  runs?: readonly TestRun[];
}

/** One thing that proves less than before. */
export interface TamperFlag {
  /** One sentence. It names file and line: of what is new in the file as it is now, of what is gone in the file as it was. */
  text: string;
  /** Whether the task owns what it weakened: its files name the tests or the folder of definitions, or its role is to write tests. */
  owned: boolean;
}

/**
 * What a person should look at before this lands: tests deleted, skipped or weakened, code that notices its tests, checkers that are
 * switched off, and edits to what defines a gate's command (docs/spec/landing.md#tamper-rules). A flag is no verdict: it asks for
 * approval, or is recorded, as the plan says.
 * @returns sorted by text; empty when there is nothing to look at
 * @throws GIT_FAILED
 */
export async function tamperFlags(options: TamperOptions): Promise<TamperFlag[]> {
  const changes = options.changes ?? (await listChangedPaths(options));
  const owned = new Set(options.owned ?? []);
  const unasked = changes.filter(({ path }) => !owned.has(path));
  const ownsTests = namesTests({ files: options.owned ?? [], role: options.role });
  const ownsGates = namesGates(options.owned ?? []);
  const touched = changes.filter(({ path }) => isTestPath(path));
  const ownsWhatRan =
    touched.length === 0 ? ownsTests('tests/any.js') : touched.every(({ path }) => ownsTests(path));
  const measured = await measureChange(options, isRead);
  const { weaker, signs, tests } = await readSigns(measured, changes);
  const definitions = await definitionFlags({ ...measured, gates: options.gates, changes, unasked });
  const flags = [
    ...weaker.map(({ text, paths }) => ({ text, owned: paths.every(ownsTests) })),
    ...signs.map(({ text, path }) => ({ text, owned: ownsTests(path) && isTestPath(path) })),
    ...definitions.map(({ text, path }) => ({ text, owned: ownsGates(path) })),
    ...unexplainedRuns(options.runs ?? [], tests).map((text) => ({
      text,
      owned: ownsWhatRan,
    })),
    ...(await linkFlags(options, changes)).map((text) => ({ text, owned: false })),
    ...measured.unread.map(({ path, bytes }) => ({
      text: `too large to be read: ${path}:1 (${(bytes / 1_048_576).toFixed(1)} MB)`,
      owned: ownsTests(path) && isTestPath(path),
    })),
  ];
  const texts = new Map(flags.map((flag) => [flag.text, flag]));
  return [...texts.values()].sort((one, other) => (one.text < other.text ? -1 : 1));
}

/** Whether the lines of a path say something. */
function isRead(path: string): boolean {
  return (
    isSource(path) ||
    isSnapshot(path) ||
    isTestData(path) ||
    isLockFile(path) ||
    hasGateLines(path) ||
    hidesPaths(path) ||
    posix.basename(path) === 'package.json'
  );
}

/** What is read off the lines of tests and sources. */
async function readSigns(options: MeasuredChange, changes: readonly ChangedPath[]) {
  const paths = changes
    .map(({ path }) => path)
    .filter((path) => isSource(path) || isSnapshot(path) || isTestData(path));
  const files = await readFiles(options, paths);
  const code = files.filter(({ path }) => isSource(path));
  const signs = sourceSigns(code);
  const known = await Promise.all(signs.cases.map((one) => knowsTests(options, one)));
  const asked = await Promise.all(signs.settings.map((one) => knowsSettings(options, one)));
  const tests = testFiles(code);
  const elsewhere = await Promise.all([
    unseenTests(options, tests),
    standIns(options, { tests, changes }),
    writtenRecordings(options, tests),
  ]);
  return {
    tests,
    weaker: [...weakerTests(files, tests), ...elsewhere.flat()],
    signs: [...signs.flags, ...known.flat(), ...asked.flat(), ...(await readsOfTests(options, code))],
  };
}

/** Whether a test has exactly these inputs with this answer: then the code was made for it. */
async function knowsTests(
  range: ChangeRange,
  { path, at, values }: SpecialCase,
): Promise<{ text: string; path: string }[]> {
  // Quotes differ from file to file.
  const found = await findTogether(
    range,
    values.map((value) => value.replace(/^"|"$/g, '')),
  );
  const isWhole = (text: string) =>
    values.every((value) => value.startsWith('"') || new RegExp(`(?<![\\w.])${value}(?![\\w.])`).test(text));
  const test = found.find(({ path: place, text }) => isInTest(place, text) && isWhole(text));
  if (test === undefined) return [];
  return [{ path, text: `code that knows the inputs of a test: ${path}:${at}, as in ${test.path}` }];
}

/** Whether only the settings of tests give this value: then the condition asks whether tests run. */
async function knowsSettings(
  range: ChangeRange,
  { path, at, values }: KnownSetting,
): Promise<{ text: string; path: string }[]> {
  const found = await findTogether(range, values);
  const settings = found.filter((one) => one.path !== path && !isTestPath(one.path));
  const ofTests = settings.filter((one) => isTestSettings(one.path));
  if (ofTests.length === 0 || ofTests.length < settings.length) return [];
  return [{ path, text: `code that notices its tests: 1 more in ${path}:${at}, by ${ofTests[0]?.path}` }];
}

/** Whether a line is one of a test; where tests are beside the code, one that asserts. */
function isInTest(path: string, text: string): boolean {
  if (isTestPath(path)) return true;
  return (
    isSource(path) && languageOf(path).inline !== undefined && text.search(languageOf(path).assertions) >= 0
  );
}

async function linkFlags(options: TamperOptions, changes: readonly ChangedPath[]): Promise<string[]> {
  const links = changes.filter(({ mode, status }) => mode === '120000' && status !== 'deleted');
  const flags = links.map(async ({ path, id }) => {
    const args = ['cat-file', 'blob', id];
    const read = await options.git(args, { cwd: options.clone });
    if (read.exitCode !== 0) throw gitFailed(args, read);
    // No path is as long as what is cut off.
    const target = read.truncated ? '/' : read.stdout;
    const outside = posix.isAbsolute(target) || posix.join(posix.dirname(path), target).startsWith('..');
    if (outside) return [`link out of the repository: ${path}:1`];
    return isTestPath(path) ? [`test that is a link: ${path}:1`] : [];
  });
  return (await Promise.all(flags)).flat();
}
