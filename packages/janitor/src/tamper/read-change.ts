import type { Git } from '@baton/contracts';
import { printedName, quotingNames, specsOf } from '../printed-name.ts';
import { fields, gitFailed, gitText } from '../run-git.ts';
import { parseFiles, type ChangedFile } from './changed-file.ts';
import { portionsOf, readingLimits, tooLarge, type SizedPath } from './reading-budget.ts';

/** A change between two commits of a repository. */
export interface ChangeRange {
  git: Git;
  /** Repository that holds both commits. */
  clone: string;
  from: string;
  to: string;
}

/** A change whose files were measured, so that they can be read in portions. */
export interface MeasuredChange extends ChangeRange {
  /** Bytes of each changed file, before and after together. */
  bytes: ReadonlyMap<string, number>;
  /** Files that are too big to be read. */
  unread: readonly SizedPath[];
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
  return (await rawChanges(range)).map(({ path, mode, id, letter }) => {
    const status = letter.startsWith('A') ? 'added' : letter.startsWith('D') ? 'deleted' : 'modified';
    return { path, status, mode, id };
  });
}

async function rawChanges(
  range: ChangeRange,
): Promise<{ path: string; mode: string; was: string; id: string; letter: string }[]> {
  const args = ['--raw', '--no-renames', '--no-abbrev', range.from, range.to];
  const printed = await gitText(range.git, ['diff-tree', '-r', '-z', ...args], { cwd: range.clone });
  // A name that is no UTF-8 was lost on the way.
  const raw = printed.includes('\uFFFD')
    ? (await gitText(range.git, [...quotingNames, 'diff-tree', '-r', ...args], { cwd: range.clone }))
        .split('\n')
        .filter((line) => line !== '')
        .flatMap((line) => [
          line.slice(0, line.indexOf('\t')),
          printedName(line.slice(line.indexOf('\t') + 1)),
        ])
    : fields(printed);
  return raw.flatMap((head, at) => {
    const [, mode = '', was = '', id = '', letter = ''] = head.split(' ');
    return at % 2 === 1 ? [] : [{ path: raw[at + 1] ?? '', mode, was, id, letter }];
  });
}

/** Measures those files of a change that are to be read. @throws GIT_FAILED */
export async function measureChange(
  range: ChangeRange,
  isToRead: (path: string) => boolean,
): Promise<MeasuredChange> {
  const changes = (await rawChanges(range)).filter(({ path }) => isToRead(path));
  const sizes = await sizesOf(
    range,
    changes.flatMap(({ was, id }) => [was, id]),
  );
  const files = changes.map(({ path }, at) => ({
    path,
    bytes: (sizes[2 * at] ?? 0) + (sizes[2 * at + 1] ?? 0),
  }));
  const bytes = new Map(files.map((file) => [file.path, file.bytes]));
  return { ...range, bytes, unread: tooLarge(files) };
}

/** Bytes of blobs; 0 for what is none, such as a submodule's commit. */
async function sizesOf({ git, clone }: ChangeRange, ids: readonly string[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const stdin = ids.map((id) => `${id}\n`).join('');
  const lines = (await gitText(git, ['cat-file', '--batch-check'], { cwd: clone, stdin })).split('\n');
  return ids.map((_, at) => {
    const [, type, size] = lines[at]?.split(' ') ?? [];
    return type === 'blob' ? Number(size) : 0;
  });
}

/** More lines than any file has. */
const everyLine = 10_000_000;

/** Some changed paths in full, before and after, but for those that are too big. @throws GIT_FAILED */
export async function readFiles(change: MeasuredChange, paths: readonly string[]): Promise<ChangedFile[]> {
  const files: ChangedFile[] = [];
  const { git, clone: cwd, from, to } = change;
  const args = [
    ...quotingNames,
    'diff',
    `-U${everyLine}`,
    '--text',
    '--no-prefix',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    from,
    to,
    '--',
  ];
  const unread = new Set(change.unread.map(({ path }) => path));
  const sized = paths
    .filter((path) => !unread.has(path))
    .map((path) => ({ path, bytes: change.bytes.get(path) ?? 0 }));
  for (const portion of portionsOf(sized)) {
    const diff = await gitText(git, [...args, ...portion.flatMap(specsOf)], { cwd });
    files.push(...parseFiles(diff).filter(({ path }) => portion.includes(path)));
  }
  return files;
}

/** All paths of a commit. @throws GIT_FAILED */
export async function listPaths({ git, clone }: ChangeRange, commit: string): Promise<string[]> {
  return fields(
    await gitText(git, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit], { cwd: clone }),
  );
}

/** Lines of a commit's files that hold all of some values, as `path:line`. @throws GIT_FAILED on any end other than yes or no */
export async function findTogether(
  { git, clone, to }: ChangeRange,
  values: readonly string[],
): Promise<{ path: string; text: string }[]> {
  // One argument that long is more than a system takes, and no line of a test.
  if (values.join('').length > readingLimits.portionNames) return [];
  const wanted = values.flatMap((value, index) => [...(index > 0 ? ['--and'] : []), '-e', value]);
  const args = ['grep', '-I', '-z', '--no-color', '--full-name', '-F', ...wanted, to, '--'];
  const found = await git(args, { cwd: clone });
  if (found.exitCode === 1) return [];
  if (found.exitCode !== 0) throw gitFailed(args, found);
  return found.stdout.split('\n').flatMap((line) => {
    const [place = '', text] = line.split('\0');
    return text === undefined ? [] : [{ path: place.slice(to.length + 1), text }];
  });
}

/** A file's text at a commit; null where there is none, or it is too big to be read. @throws GIT_FAILED */
export async function readAt(
  range: ChangeRange,
  file: { commit: string; path: string },
): Promise<string | null> {
  const name = `${file.commit}:${file.path}`;
  const size = await range.git(['cat-file', '-s', name], { cwd: range.clone });
  if (size.exitCode !== 0 || Number(size.stdout) > readingLimits.fileBytes) return null;
  return gitText(range.git, ['cat-file', 'blob', name], { cwd: range.clone });
}
