import { readFile, rm } from 'node:fs/promises';
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
 * Takes back a fast-forward that died between its first file and its ref: the branch still stands at `from`, files or index already hold
 * parts of `to`. Only when *every* difference is explained by that is anything touched; an edit of the user's leaves all as it is.
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
  const added = changes.filter((change) => change.before === null).map((change) => change.path);
  const untracked = new Set(await listUntracked(git, { worktree, paths: added }));
  if (dirty.length === 0 && untracked.size === 0) return 'clean';

  const byPath = new Map(changes.map((change) => [change.path, change] as const));
  for (const path of [...dirty, ...untracked]) {
    const change = byPath.get(path);
    if (change === undefined || !(await isOurs(git, { worktree, change }))) return 'left';
  }
  await gitText(git, ['read-tree', '--reset', '-u', from], { cwd: worktree });
  for (const path of untracked) await rm(join(worktree, path), { force: true });
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
  const args = ['--no-optional-locks', 'status', '--porcelain', '-z', '--untracked-files=no', '--no-renames'];
  return fields(await gitText(git, args, { cwd: worktree })).map((entry) => entry.slice(3));
}

async function listUntracked(git: Git, options: { worktree: string; paths: string[] }): Promise<string[]> {
  if (options.paths.length === 0) return [];
  const pathspecs = options.paths.map((path) => `:(literal)${path}`);
  return fields(
    await gitText(git, ['ls-files', '-z', '--others', '--', ...pathspecs], { cwd: options.worktree }),
  );
}

/** A file is ours when it is absent, as before, as after, or cut off while `after` was being written. */
async function isOurs(git: Git, options: { worktree: string; change: Change }): Promise<boolean> {
  const { worktree, change } = options;
  const content = await readFile(join(worktree, change.path), 'utf8').catch(() => null);
  if (content === null) return true;
  const id = await gitLine(git, ['hash-object', '--', change.path], { cwd: worktree });
  if (id === change.before || id === change.after) return true;
  if (change.after === null) return false;
  const whole = await gitText(git, ['cat-file', 'blob', change.after], { cwd: worktree });
  return whole.startsWith(content.replace(/\uFFFD+$/, ''));
}
