import type { Git } from '@baton/contracts';
import { parseDiff } from '../added-lines.ts';
import { fields, gitText } from '../run-git.ts';
import type { ChangedTest } from './weaker-tests.ts';
import { isSnapshot, isTestPath } from './test-paths.ts';

/** A change between two commits of a repository. */
export interface ChangeRange {
  git: Git;
  /** Repository that holds both commits. */
  clone: string;
  from: string;
  to: string;
}

/** One changed path. */
export interface ChangedPath {
  path: string;
  status: 'added' | 'deleted' | 'modified';
  /** Git's file mode after the change, e.g. "120000" for a symbolic link. */
  mode: string;
  /** Blob after the change; zeros when deleted. */
  id: string;
}

/** All changed paths; a rename is a deletion and an addition. @throws GIT_FAILED */
export async function listChangedPaths(range: ChangeRange): Promise<ChangedPath[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', range.from, range.to];
  const raw = fields(await gitText(range.git, args, { cwd: range.clone }));
  const changes: ChangedPath[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [, mode = '', , id = '', letter = ''] = raw[at]?.split(' ') ?? [];
    const status = letter.startsWith('A') ? 'added' : letter.startsWith('D') ? 'deleted' : 'modified';
    changes.push({ path: raw[at + 1] ?? '', status, mode, id });
  }
  return changes;
}

/** Added and removed lines of some paths. @throws GIT_FAILED */
export async function readLines(
  range: ChangeRange,
  paths: readonly string[],
): Promise<ReturnType<typeof parseDiff>> {
  if (paths.length === 0) return [];
  const args = [
    'diff',
    '-U0',
    '--text',
    '--no-prefix',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    range.from,
    range.to,
  ];
  const specs = paths.map((path) => `:(literal)${path}`);
  return parseDiff(await gitText(range.git, [...args, '--', ...specs], { cwd: range.clone }));
}

/** The tests and recorded expectations of a change with their lines. @throws GIT_FAILED */
export async function readTests(range: ChangeRange, changes: readonly ChangedPath[]): Promise<ChangedTest[]> {
  const tests = changes.filter(({ path }) => isTestPath(path) || isSnapshot(path));
  const deleted = new Set(tests.filter(({ status }) => status === 'deleted').map(({ path }) => path));
  const lines = await readLines(
    range,
    tests.map(({ path }) => path),
  );
  return lines.map((file) => ({ ...file, deleted: deleted.has(file.path) }));
}

/** A file's text at a commit, or null. @throws GIT_FAILED when it is too big to read */
export async function readAt(
  range: ChangeRange,
  file: { commit: string; path: string },
): Promise<string | null> {
  const found = await range.git(['cat-file', '-e', `${file.commit}:${file.path}`], { cwd: range.clone });
  if (found.exitCode !== 0) return null;
  return gitText(range.git, ['cat-file', 'blob', `${file.commit}:${file.path}`], { cwd: range.clone });
}
