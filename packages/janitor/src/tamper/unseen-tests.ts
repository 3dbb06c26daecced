import { posix } from 'node:path';
import { settingsAmong } from './gate-settings.ts';
import { listPaths, readAt, type ChangeRange } from './read-change.ts';
import { subjectOf } from './replaced-subject.ts';
import type { TestFile } from './test-file.ts';
import { isTestName } from './test-paths.ts';
import type { WeakerTest } from './weaker-test.ts';

/** Settings of the root that say where tests are; more are not read. */
const mostRead = 8;

/**
 * Tests that other files of the repository make worth less: they moved out of the folder that settings name, or what all tests load puts
 * a mock in place of a module that has a test of its own. @throws GIT_FAILED
 */
export async function unseenTests(range: ChangeRange, tests: readonly TestFile[]): Promise<WeakerTest[]> {
  const moved = movedOut(tests);
  const mocked = tests.flatMap(mockedForAll);
  if (moved.length === 0 && mocked.length === 0) return [];
  const paths = await listPaths(range, range.to);
  const subjects = new Set(paths.filter(isTestName).map(subjectOf));
  const read = settingsAmong(paths)
    .filter((path) => !path.includes('/'))
    .slice(0, mostRead);
  const texts = await Promise.all(read.map((path) => readAt(range, { commit: range.to, path })));
  const isNamed = (folder: string) => {
    const pattern = new RegExp(
      String.raw`["'\s=,[/]${folder}/[^"'\s]*\*|\b(?:testDir|testpaths|roots|spec)["']?\s*[:=]\s*[[("'\s./]*${folder}\b`,
    );
    return texts.some((text) => pattern.test(text ?? ''));
  };
  return [
    ...moved
      .filter(({ from, to }) => isNamed(from) && !isNamed(to))
      .map(({ path }) => ({ text: `tests where no runner looks: ${path}:1`, paths: [path] })),
    ...mocked
      .filter(({ name }) => subjects.has(name))
      .map(({ path, at }) => ({
        text: `subject replaced by a mock: 1 more in ${path}:${at}`,
        paths: [path],
      })),
  ];
}

/** Test files that are new in a folder of the root where another with the same tests is gone from another one. */
function movedOut(tests: readonly TestFile[]): { path: string; from: string; to: string }[] {
  const top = (path: string) => (/^([\w.-]+)\//.exec(path)?.[1] ?? '').replaceAll('.', String.raw`\.`);
  const gone = tests.filter(({ isDeleted, before }) => isDeleted && before.cases.length > 0);
  return tests.flatMap(({ path, before, after }) => {
    if (before.code.length > 0 || after.cases.length === 0) return [];
    const was = gone.find(
      (one) =>
        top(one.path) !== top(path) &&
        one.before.cases.some(({ title }) => after.cases.some((now) => now.title === title)),
    );
    return was === undefined || top(was.path) === '' || top(path) === ''
      ? []
      : [{ path, from: top(was.path), to: top(path) }];
  });
}

/** Modules of the repository that new lines of a file without tests of its own put a mock in place of. */
function mockedForAll({ path, language, after }: TestFile): { path: string; at: number; name: string }[] {
  if (after.cases.length > 0) return [];
  if (language.name !== 'JavaScript') return aliasedForAll({ path, language, after });
  return after.code.flatMap(({ at, text }) => {
    const module = after.changed.has(at)
      ? language.mocks.flatMap((pattern) => pattern.exec(text)?.[1] ?? []).find((one) => /^[.#~@]/.test(one))
      : undefined;
    if (module === undefined || !module.includes('/')) return [];
    return [
      {
        path,
        at,
        name: posix
          .basename(module)
          .replace(/\.[cm]?[jt]sx?$/, '')
          .toLowerCase(),
      },
    ];
  });
}

/** The same of classes that a new line gives the name of another. */
function aliasedForAll({
  path,
  language,
  after,
}: Pick<TestFile, 'path' | 'language' | 'after'>): { path: string; at: number; name: string }[] {
  return after.code.flatMap(({ at, text }) => {
    if (!after.changed.has(at) || !/\bclass_alias\s*\(/.test(text)) return [];
    const names = language.mocks.flatMap((pattern) => pattern.exec(text)?.[1] ?? []);
    return names.map((name) => ({ path, at, name: name.toLowerCase() }));
  });
}
