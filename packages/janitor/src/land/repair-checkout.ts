import { lstat, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '@baton/contracts';
import { fields, gitLine, gitText } from '../run-git.ts';

/** Which fast-forward was interrupted, and where. */
export interface RepairOptions {
  worktree: string;
  from: string;
  to: string;
}

/** A path of the change, with its blob on either side; null where it does not exist. */
interface Change {
  path: string;
  before: string | null;
  after: string | null;
}

/**
 * Takes back a fast-forward that died between its first file and its ref: the branch is still at `from`, files or index already hold
 * parts of `to`. Only when *every* difference is explained by that is anything touched, and then only what differs: an edit of the
 * user's leaves all as it is, and a file that git is set to skip stays.
 * @returns `clean` when there was nothing to repair, `left` when something else than our own half-done move was found
 * @throws GIT_FAILED
 */
export async function repairCheckout(
  git: Git,
  options: RepairOptions,
): Promise<'clean' | 'repaired' | 'left'> {
  const { worktree, from } = options;
  if ((await gitLine(git, ['rev-parse', 'HEAD'], { cwd: worktree })) !== from) return 'clean';
  const changes = await listChanges(git, options);
  const dirty = await dirtyPaths(git, worktree);
  const untracked = new Set(
    await listUntracked(git, { worktree, paths: changes.map((change) => change.path) }),
  );
  if (dirty.length === 0 && untracked.size === 0) return 'clean';

  const byPath = new Map(changes.map((change) => [change.path, change] as const));
  for (const path of [...dirty, ...untracked]) {
    const change = byPath.get(path);
    if (change === undefined || !(await isOurs(git, { worktree, change }))) return 'left';
  }
  for (const path of untracked) await rm(join(worktree, path), { force: true });
  if (dirty.length === 0) return 'repaired';
  const restore = ['restore', `--source=${from}`, '--staged', '--worktree', '--no-recurse-submodules'];
  await gitText(git, ['--literal-pathspecs', ...restore, '--pathspec-from-file=-', '--pathspec-file-nul'], {
    cwd: worktree,
    stdin: dirty.map((path) => `${path}\0`).join(''),
    userFiles: true,
  });
  return 'repaired';
}

async function listChanges(git: Git, options: RepairOptions): Promise<Change[]> {
  const raw = fields(
    await gitText(
      git,
      ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', options.from, options.to],
      { cwd: options.worktree },
    ),
  );
  const blob = (id: string): string | null => (/^0+$/.test(id) ? null : id);
  const changes: Change[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [, , before = '', after = ''] = raw[at]?.split(' ') ?? [];
    changes.push({ path: raw[at + 1] ?? '', before: blob(before), after: blob(after) });
  }
  return changes;
}

async function dirtyPaths(git: Git, worktree: string): Promise<string[]> {
  const asked = ['--porcelain', '-z', '--untracked-files=no', '--no-renames', '--ignore-submodules=dirty'];
  const args = ['--no-optional-locks', 'status', ...asked];
  return fields(await gitText(git, args, { cwd: worktree, userFiles: true })).map((entry) => entry.slice(3));
}

async function listUntracked(git: Git, options: { worktree: string; paths: string[] }): Promise<string[]> {
  if (options.paths.length === 0) return [];
  const pathspecs = options.paths.map((path) => `:(literal)${path}`);
  return fields(
    await gitText(git, ['ls-files', '-z', '--others', '--', ...pathspecs], { cwd: options.worktree }),
  );
}

/** A file is ours when it is absent, as before, as after, or cut off while `after` was being written; of a folder its files decide. */
async function isOurs(git: Git, options: { worktree: string; change: Change }): Promise<boolean> {
  const { worktree, change } = options;
  const found = await contentAt(join(worktree, change.path));
  if (found === 'absent' || found === 'folder') return true;
  if (found === 'unreadable') return false;
  const args = found.isLink ? ['hash-object', '--stdin'] : ['hash-object', '--', change.path];
  const id = await gitLine(git, args, {
    cwd: worktree,
    stdin: found.isLink ? found.text : '',
    userFiles: true,
  });
  if (id === change.before || id === change.after) return true;
  if (change.after === null || found.isLink) return false;
  const whole = await gitText(git, ['cat-file', 'blob', change.after], { cwd: worktree });
  return whole.startsWith(found.text.replace(/\uFFFD+$/, ''));
}

type Content = { text: string; isLink: boolean } | 'absent' | 'folder' | 'unreadable';

async function contentAt(path: string): Promise<Content> {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) return 'folder';
    if (found.isSymbolicLink()) return { text: await readlink(path), isLink: true };
    return found.isFile() ? { text: await readFile(path, 'utf8'), isLink: false } : 'unreadable';
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'unreadable';
  }
}
