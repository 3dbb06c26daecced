import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { gitFailure, gitText } from '../git/git.ts';
import { moveKeptRef } from '../tree/move-kept-ref.ts';
import { fetch, fetchTimeoutMs, ownRef, push, pushTimeoutMs } from './kept-refs.ts';
import { makeOwnFolder, removeDeadFolders } from '../process/own-folder.ts';
import type { Clone } from '../tree/clone.ts';

/** Tasks whose refs one command removes. */
const mostTasks = 200;

/** An attempt's head, and the ref that keeps it: `refs/baton/attempts/<task>/<fence>` everywhere. */
export interface KeptHead {
  ref: string;
  commit: string;
}

/**
 * Removes the refs of these tasks' attempts at the repository itself: their work has landed.
 *
 * @throws GIT_FAILED
 */
export async function dropPublished(
  clone: Clone,
  { location, taskIds }: { location: string; taskIds: readonly string[] },
): Promise<void> {
  const patterns = taskIds
    .slice(0, mostTasks)
    .map((taskId) => ownRef(`refs/baton/attempts/${taskId}/0`).slice(0, -1));
  if (patterns.length === 0) return;
  const there = (await publishedHeads(clone, location)).filter(({ ref }) =>
    patterns.some((pattern) => ref.startsWith(pattern)),
  );
  if (there.length === 0) return;
  if (path.isAbsolute(location)) {
    const stdin = there.map(({ ref, commit }) => `delete ${ref} ${commit}\n`).join('');
    // No push: it would run the hooks that the user has there.
    await gitText(clone.git, ['update-ref', '--stdin'], { cwd: location, stdin, finishes: true });
    return;
  }
  await gitText(clone.git, [...push, '--', location, ...there.map(({ ref }) => `:${ref}`)], {
    cwd: clone.path,
    timeoutMs: pushTimeoutMs,
    finishes: location.startsWith('file:'),
  });
}

/** Heads of attempts that lie at the repository itself. @throws GIT_FAILED */
export async function publishedHeads(
  clone: Clone,
  location: string,
): Promise<(KeptHead & { taskId: string })[]> {
  const args = ['ls-remote', '--refs', '--', location, 'refs/baton/attempts/*'];
  const listed = await gitText(clone.git, args, { cwd: clone.path, timeoutMs: pushTimeoutMs });
  return listed.split('\n').flatMap((line) => {
    const [, commit = '', ref = '', taskId = ''] =
      /^([0-9a-f]{40,64})\t(refs\/baton\/attempts\/([\w.-]+)\/\d+)$/.exec(line) ?? [];
    return ref === '' ? [] : [{ ref, commit, taskId }];
  });
}

/**
 * Brings an attempt's head from the repository itself into the clone: by the ref that it was pushed to, else by its id.
 *
 * @throws GIT_FAILED with git's words, REF_INVALID
 */
export async function fetchHead(
  clone: Clone,
  { location, head }: { location: string; head: KeptHead },
): Promise<void> {
  let failure: BatonError | null = null;
  for (const source of [ownRef(head.ref), head.commit]) {
    const args = [...fetch, '--', location, source];
    const result = await clone.git(args, { cwd: clone.path, timeoutMs: fetchTimeoutMs });
    if (result.exitCode === 0 && (await clone.resolve(head.commit)) === head.commit) return keep(clone, head);
    failure ??=
      result.exitCode === 0
        ? new BatonError('GIT_FAILED', `${location} does not give the commit ${head.commit}.`)
        : gitFailure(['fetch', location, source], result);
  }
  if (failure !== null) throw failure;
}

/**
 * Brings an attempt's head from another clone of Baton's on this host. Only objects are read there, by way of an empty repository
 * of our own that borrows them: neither settings nor hooks of that clone count, and each object's hash is checked.
 *
 * @throws GIT_FAILED, PATH_OUTSIDE when the folder is no clone of Baton's
 */
export async function fetchHeadFromClone(
  clone: Clone,
  { from, head }: { from: string; head: KeptHead },
): Promise<void> {
  const folder = path.dirname(clone.path);
  const objects = objectsOfClone(from, path.basename(folder));
  const kind = { parent: folder, prefix: 'borrow-' };
  removeDeadFolders(kind); // what a fetch left that was killed
  const borrow = makeOwnFolder(kind);
  const borrowed = borrow.path;
  try {
    const format = `--object-format=${clone.objectFormat}`;
    const init = ['init', '--bare', '--quiet', '--template=', format, '--', borrowed];
    await gitText(clone.git, init, { cwd: folder });
    mkdirSync(path.join(borrowed, 'objects', 'info'), { recursive: true });
    writeFileSync(path.join(borrowed, 'objects', 'info', 'alternates'), `${objects}\n`);
    await gitText(clone.git, [...fetch, '--', borrowed, head.commit], {
      cwd: clone.path,
      timeoutMs: fetchTimeoutMs,
    });
    await keep(clone, head);
  } finally {
    borrow.remove();
  }
}

async function keep(clone: Clone, { ref, commit }: KeptHead): Promise<void> {
  await moveKeptRef(clone.git, { repo: clone.path, ref: ownRef(ref), commit });
}

/** The objects of a clone that another process of Baton's keeps of the same repository: no link on the way, nothing borrowed. */
function objectsOfClone(from: string, repoId: string): string {
  const objects = path.join(from, 'objects');
  const isPlace = path.isAbsolute(from) && from.endsWith(path.join(path.sep, 'repos', repoId, 'clone.git'));
  const folders = [
    path.dirname(path.dirname(from)),
    path.dirname(from),
    from,
    objects,
    path.join(objects, 'pack'),
  ];
  const wrong = isPlace ? folders.find((folder) => kindOf(folder) !== 'folder') : from;
  const lends = kindOf(path.join(objects, 'info', 'alternates')) !== 'missing';
  if (wrong === undefined && !lends && !/[\n"#]/.test(objects)) return objects;
  throw new BatonError(
    'PATH_OUTSIDE',
    `${wrong ?? objects} is not a clone of this repository that can be read.`,
    {
      fix: 'See whether it was removed, replaced, or belongs to another user.',
      at: from,
    },
  );
}

function kindOf(file: string): 'folder' | 'missing' | 'other' {
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return 'missing';
    return stat.isDirectory() ? 'folder' : 'other';
  } catch {
    return 'other';
  }
}
