import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Git } from '@baton/contracts';
import { printedName, quotedName, quotingNames } from '../printed-name.ts';
import { gitLine, gitText } from '../run-git.ts';
import type { ChangedPath } from '../tamper/read-change.ts';
import { isSnapshot, isTestData, isTestPath } from '../tamper/test-paths.ts';

/** A change in a repository that holds its objects. */
export interface TestsAloneOptions {
  git: Git;
  clone: string;
  /** The head that the change was made on. */
  onto: string;
  changes: readonly ChangedPath[];
}

/** The head with the tests of a change and nothing else of it. */
export interface TestsAlone {
  commit: string;
  tree: string;
  changes: ChangedPath[];
  onto: string;
}

const gone = /^0+$/;

/**
 * What the tests of a change say without the rest of it: a commit on its head that takes over only tests, what they load, and what
 * they are held against. Null: the change adds or changes no test (one that moved as it was is neither), or nothing but tests.
 * @throws GIT_FAILED
 */
export async function testsAlone(options: TestsAloneOptions): Promise<TestsAlone | null> {
  const { git, clone: cwd, onto, changes } = options;
  const isOfTests = ({ path: name }: ChangedPath): boolean =>
    isTestPath(name) || isSnapshot(name) || isTestData(name);
  const tests = changes.filter(isOfTests);
  if (tests.length === changes.length) return null;
  const moved = await blobsOf(
    options,
    tests.filter(({ status }) => status === 'deleted'),
  );
  const shows = tests.some(
    ({ path: name, status, id }) =>
      isTestPath(name) && status !== 'deleted' && !(status === 'added' && moved.has(id)),
  );
  if (!shows) return null;
  const folder = await mkdtemp(path.join(tmpdir(), 'baton-tests-'));
  try {
    const at = { cwd, env: { GIT_INDEX_FILE: path.join(folder, 'index') } };
    await gitText(git, ['read-tree', onto], at);
    const lines = tests.map(
      ({ mode, id, path: name }) => `${gone.test(id) ? '0' : mode} ${id}\t${quotedName(name)}\n`,
    );
    await gitText(git, ['update-index', '--index-info'], { ...at, stdin: lines.join('') });
    const tree = await gitLine(git, ['write-tree'], at);
    const date = '@0 +0000';
    const commit = await gitLine(git, ['commit-tree', tree, '-p', onto, '-m', 'tests alone'], {
      cwd,
      env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    });
    return { commit, tree, changes: tests, onto };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What deleted files held: a test that only moved is none that the change adds. */
async function blobsOf(
  { git, clone: cwd, onto }: TestsAloneOptions,
  deleted: readonly ChangedPath[],
): Promise<Set<string>> {
  if (deleted.length === 0) return new Set();
  const names = new Set(deleted.map(({ path: name }) => name));
  // All of the tree: names do not fit into arguments.
  const args = [...quotingNames, 'ls-tree', '-r', '--full-tree', onto];
  const lines = (await gitText(git, args, { cwd })).split('\n');
  const entries = lines.filter((line) => names.has(printedName(line.slice(line.indexOf('\t') + 1))));
  return new Set(entries.map((line) => line.split(/[ \t]/)[2] ?? ''));
}
