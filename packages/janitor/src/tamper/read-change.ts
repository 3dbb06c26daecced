import type { Git } from '@baton/contracts';
import { fields, gitFailed, gitText } from '../run-git.ts';
import { parseFiles, type ChangedFile } from './changed-file.ts';

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

const chunk = 200;
/** More lines than any file has. */
const everyLine = 10_000_000;

/** Some changed paths in full, before and after. @throws GIT_FAILED */
export async function readFiles(range: ChangeRange, paths: readonly string[]): Promise<ChangedFile[]> {
  const files: ChangedFile[] = [];
  const { git, clone: cwd, from, to } = range;
  const args = [
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
  for (let at = 0; at < paths.length; at += chunk) {
    const specs = paths.slice(at, at + chunk).map((path) => `:(literal)${path}`);
    files.push(...parseFiles(await gitText(git, [...args, ...specs], { cwd })));
  }
  return files;
}

/** All paths at the end of a change. @throws GIT_FAILED */
export async function listTracked({ git, clone, to }: ChangeRange): Promise<string[]> {
  return fields(
    await gitText(git, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', to], { cwd: clone }),
  );
}

/** Lines of a commit's files that hold all of some values, as `path:line`. @throws GIT_FAILED on any end other than yes or no */
export async function findTogether(
  { git, clone, to }: ChangeRange,
  values: readonly string[],
): Promise<{ path: string; text: string }[]> {
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

/** A file's text at a commit, or null. @throws GIT_FAILED when it is too big to read */
export async function readAt(
  range: ChangeRange,
  file: { commit: string; path: string },
): Promise<string | null> {
  const found = await range.git(['cat-file', '-e', `${file.commit}:${file.path}`], { cwd: range.clone });
  if (found.exitCode !== 0) return null;
  return gitText(range.git, ['cat-file', 'blob', `${file.commit}:${file.path}`], { cwd: range.clone });
}
