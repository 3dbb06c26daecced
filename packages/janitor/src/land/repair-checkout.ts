import { unlink } from 'node:fs/promises';
import type { Git } from '@baton/contracts';
import { quotedBytes, quotingNames } from '../printed-name.ts';
import { gitLine, gitText } from '../run-git.ts';
import { areOurs } from './our-files.ts';
import { bytesOfKey, keyOf, rawEntries, treeChange, type EntryChange } from './tree-change.ts';
import { groundOf, placeOf, statOf } from './untracked.ts';

/** Which fast-forward was interrupted, and where. */
export interface RepairOptions {
  worktree: string;
  from: string;
  to: string;
  /** The commit of HEAD there, which is `to` where the branch moves before the files; `from` when left out. */
  head?: string;
}

/**
 * Takes back a fast-forward that died between its first file and its end: files or index already hold parts of `to`. Only when *every* difference is explained by that, byte by byte, is anything touched, and then only what differs: an edit
 * of the user's leaves all as it is, and a file that git is set to skip stays.
 * @returns `clean` when there was nothing to repair, `left` when something else than our own half-done move was found
 * @throws GIT_FAILED
 */
export async function repairCheckout(
  git: Git,
  options: RepairOptions,
): Promise<'clean' | 'repaired' | 'left'> {
  const { worktree: cwd, from, to, head = from } = options;
  if ((await gitLine(git, ['rev-parse', 'HEAD'], { cwd })) !== head) return 'clean';
  const changes = await treeChange(git, { cwd, from, to });
  const dirty = await dirtyPaths(git, { cwd, from });
  const byKey = new Map(changes.map((change) => [keyOf(change.path), change] as const));
  const ground = await groundOf(git, { cwd, tree: from, tracked: new Set(byKey.keys()) });
  const isDirty = new Set(dirty);
  const added: string[] = [];
  for (const [key, { before }] of byKey)
    if (before === null && !isDirty.has(key) && (await statOf(ground, key)) !== null) added.push(key);
  if (dirty.length === 0 && added.length === 0) return 'clean';

  const differing = [...dirty, ...added].map((key) => byKey.get(key));
  const explained = differing.filter((change) => change !== undefined);
  if (explained.length < differing.length || !(await isIndexOurs(git, { cwd, from, byKey }))) return 'left';
  if (!(await areOurs(git, { ground, from, to, changes: explained }))) return 'left';
  for (const key of added)
    if ((await statOf(ground, key))?.isDirectory() === false) await unlink(placeOf(ground, key));
  if (dirty.length === 0) return 'repaired';
  const restore = ['restore', `--source=${from}`, '--staged', '--worktree', '--no-recurse-submodules'];
  await gitText(git, ['--literal-pathspecs', ...restore, '--pathspec-from-file=-'], {
    cwd,
    stdin: dirty.map((key) => `${quotedBytes(bytesOfKey(key))}\n`).join(''),
    userFiles: true,
  });
  return 'repaired';
}

/** Paths that differ from a commit in the index or in the working tree, as keys. */
async function dirtyPaths(git: Git, { cwd, from }: { cwd: string; from: string }): Promise<string[]> {
  // What was only touched is no difference.
  await git(['update-index', '-q', '--refresh'], { cwd, userFiles: true });
  const args = ['diff-index', '--raw', '--no-renames', '--no-abbrev', '--ignore-submodules=dirty'];
  const found = await gitText(git, [...quotingNames, ...args, from, '--'], { cwd, userFiles: true });
  return rawEntries(found).map(({ path }) => keyOf(path));
}

/** Whether all that the index has otherwise than HEAD is what the move writes: what a person staged may be nowhere else. */
async function isIndexOurs(
  git: Git,
  { cwd, from, byKey }: { cwd: string; from: string; byKey: ReadonlyMap<string, EntryChange> },
): Promise<boolean> {
  const args = ['diff-index', '--cached', '--raw', '--no-renames', '--no-abbrev', '--ignore-submodules=none'];
  const staged = rawEntries(await gitText(git, [...quotingNames, ...args, from, '--'], { cwd }));
  return staged.every(({ path, after }) => {
    const made = byKey.get(keyOf(path))?.after;
    return after === null ? made === null : after.mode === made?.mode && after.id === made.id;
  });
}
