import { posix } from 'node:path';
import { tidy } from './assertions.ts';
import { listPaths, type ChangedPath, type ChangeRange } from './read-change.ts';
import { compare, type TestFile } from './test-file.ts';
import { isTestPath } from './test-paths.ts';
import { callsCommand } from './set-values.ts';
import { pathsIn, pathsNamed } from './text-paths.ts';
import type { WeakerTest } from './weaker-test.ts';

/** Where a file of tests lies, and where one of the product has the same name for who loads it: the former is found first. */
const places: readonly (readonly [ofTests: RegExp, ofProduct: (rest: string) => RegExp])[] = [
  [
    /(?:^|\/)src\/(?:test|androidTest|integrationTest|testFixtures)\/(?:java|kotlin|scala|groovy)\/(.+)\.\w+$/,
    (rest) => new RegExp(`(^|/)src/main/(?:java|kotlin|scala|groovy)/${rest}\\.\\w+$`),
  ],
  [/^(?:.*\/)?(?:spec|test)\/(.+)\.rb$/, (rest) => new RegExp(`(^|/)lib/${rest}\\.rb$`)],
  [/^tests?\/(?:\w+\/)*?(\w+\/.+)\.py$/, (rest) => new RegExp(`^(?:src/)?${rest}\\.py$`)],
];

/**
 * New files of tests that take the place of what the tests are about: by a name that is found before the product's own, or since a test
 * or a helper names their path where it named a file of the product. @throws GIT_FAILED
 */
export async function standIns(
  range: ChangeRange,
  { tests, changes }: { tests: readonly TestFile[]; changes: readonly ChangedPath[] },
): Promise<WeakerTest[]> {
  const added = changes
    .filter(({ status, path }) => status === 'added' && isTestPath(path))
    .map(({ path }) => path);
  const copies = added.flatMap((path) =>
    places.flatMap(([ofTests, ofProduct]) => {
      const rest = ofTests.exec(path)?.[1];
      return rest === undefined || /(^|\/)(?:__init__|conftest)$/.test(rest)
        ? []
        : [{ path, same: ofProduct(rest.replace(/[^\w/]/g, '.')) }];
    }),
  );
  const turned = redirected(tests, added);
  const commands = newCommands(tests, changes);
  if (copies.length === 0 && turned.length === 0 && commands.length === 0) return [];
  const product = (await listPaths(range, range.to)).filter((path) => !isTestPath(path));
  return [
    ...copies
      .filter(({ same }) => product.some((path) => same.test(path)))
      .map(({ path }) => ({ path, at: 1 })),
    ...commands,
    ...turned.filter(({ was }) => was.some((name) => pathsNamed(name, product).length > 0)),
  ].map(({ path, at }) => ({
    text: `subject replaced by one of the test: 1 more in ${path}:${at}`,
    paths: [path],
  }));
}

/** New files with the name of a command that tests of shell call: which is found first is up to a path. */
function newCommands(
  tests: readonly TestFile[],
  changes: readonly ChangedPath[],
): { path: string; at: number }[] {
  const shells = tests.filter(({ language, before }) => language.name === 'shell' && before.cases.length > 0);
  const beside = new Set(shells.map(({ path }) => posix.dirname(path)));
  return changes
    .filter(({ status, path }) => status === 'added' && [...beside].some((one) => path.startsWith(`${one}/`)))
    .filter(({ path }) =>
      shells.some((file) => callsCommand(file.before, posix.basename(path).replace(/\.\w+$/, ''))),
    )
    .map(({ path }) => ({ path, at: 1 }));
}

/** Lines that name a new file of tests, with the names in lines that are gone which end alike. */
function redirected(
  tests: readonly TestFile[],
  added: readonly string[],
): { path: string; at: number; was: string[] }[] {
  const stem = (path: string) => posix.basename(path).replace(/\.\w+$/, '');
  return tests.flatMap((file) => {
    if (!isTestPath(file.path) || file.before.code.length === 0) return [];
    const lines = compare([file], { take: ({ code }) => code, key: ({ text }) => tidy(text) });
    const gone = lines.removed.flatMap(({ text }) => pathsIn(text));
    return lines.added.flatMap(({ at, text }) => {
      const now = pathsIn(text).filter((name) => pathsNamed(name, added).length > 0);
      const was = gone.filter((name) => now.some((one) => stem(one) === stem(name)));
      return was.length === 0 ? [] : [{ path: file.path, at, was }];
    });
  });
}
