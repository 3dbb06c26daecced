import { isBelow, type Finding } from './check-context.ts';

/** What package managers write beside a manifest when its dependencies change. */
const lockFiles: Readonly<Record<string, readonly string[]>> = {
  'package.json': [
    'package-lock.json',
    'npm-shrinkwrap.json',
    'pnpm-lock.yaml',
    'yarn.lock',
    'bun.lock',
    'bun.lockb',
  ],
  'Cargo.toml': ['Cargo.lock'],
  'pyproject.toml': ['poetry.lock', 'uv.lock', 'pdm.lock'],
  Pipfile: ['Pipfile.lock'],
  'go.mod': ['go.sum'],
  Gemfile: ['Gemfile.lock'],
  'composer.json': ['composer.lock'],
};

/** Which paths a task owns, and whether others may be changed. */
export interface OwnedFiles {
  /** Path prefixes; empty: none in particular, everything may be changed. */
  files: readonly string[];
  /** False: changes elsewhere are reported, and land. */
  strict: boolean;
  /** What the task itself changed, where gates added to it; absent: the whole change. */
  changedPaths?: readonly string[];
}

/**
 * A task that owns files changes no others: a path must be one of them or lie below one, letter by letter (a rename counts
 * as both its paths). The lock file of a manifest that it owns and changes may change with it, in the same folder or above.
 */
export function ownedFiles(changedPaths: readonly string[], owned: OwnedFiles): Finding {
  const { files, strict } = owned;
  if (files.length === 0) return { passed: true, reason: 'the task owns no files in particular' };
  const isOwned = (path: string): boolean => files.some((prefix) => isBelow(path, prefix));
  const locks = locksOf(changedPaths.filter(isOwned));
  const outside = changedPaths.filter((path) => !isOwned(path) && !locks.some((isLock) => isLock(path)));
  if (outside.length === 0) return { passed: true, reason: `all changes are within ${files.join(', ')}` };
  const more = outside.length > 10 ? ` and ${outside.length - 10} more` : '';
  const named = `${outside.slice(0, 10).join(', ')}${more}`;
  const rule = strict
    ? 'Change only what the task owns, or let its plan name these files (`files`, or `files_strict: false`)'
    : 'files_strict is off, so they land';
  return { passed: false, reason: `changed outside of ${files.join(', ')}: ${named}. ${rule}` };
}

/** For each changed manifest: whether a path is one of its lock files. */
function locksOf(changed: readonly string[]): ((path: string) => boolean)[] {
  return changed.flatMap((manifest) => {
    const { folder, name } = split(manifest);
    const names = Object.hasOwn(lockFiles, name) ? (lockFiles[name] ?? []) : [];
    return names.length === 0
      ? []
      : [
          (path: string) => {
            const lock = split(path);
            return names.includes(lock.name) && (lock.folder === '' || isBelow(folder, lock.folder));
          },
        ];
  });
}

function split(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf('/');
  return { folder: path.slice(0, Math.max(0, at)), name: path.slice(at + 1) };
}
