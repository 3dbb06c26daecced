import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { gitFailure, gitText } from '../git/git.ts';
import { moveKeptRef } from '../tree/move-kept-ref.ts';
import { processStart } from '../process/process-table.ts';
import type { Clone } from '../tree/clone.ts';

const pushTimeoutMs = 5 * 60_000;
const fetchTimeoutMs = 10 * 60_000;
/** Tasks whose refs one command removes. */
const mostTasks = 200;
const fetch = [
  ...['-c', 'protocol.version=2', 'fetch', '--quiet', '--no-tags', '--no-write-fetch-head'],
  ...['--no-auto-maintenance', '--no-recurse-submodules'],
];
const push = ['push', '--quiet', '--no-verify', '--no-follow-tags', '--recurse-submodules=no'];

/** What a remote said to refs of ours; `retryable`: it may say otherwise in a moment. */
export type Published = { ok: true } | { ok: false; why: string; retryable: boolean };

/** An attempt's head, and the ref that keeps it: `refs/baton/attempts/<task>/<fence>` everywhere. */
export interface KeptHead {
  ref: string;
  commit: string;
}

/**
 * Pushes refs of Baton's from the clone to the repository that it was made from, under their own names: people who work on that
 * repository can fetch them there.
 *
 * @param refs Names below `refs/baton/attempts/`, `refs/baton/salvage/` or `refs/baton/left-out/`; a trailing `/*` means all below.
 */
export async function publishRefs(
  clone: Clone,
  { location, refs }: { location: string; refs: readonly string[] },
): Promise<Published> {
  for (const ref of refs) ownRef(ref.replace(/\/\*$/, '/0'));
  const specs = refs.map((ref) => `${ref}:${ref}`);
  const result = await clone.git([...push, '--', location, ...specs], {
    cwd: clone.path,
    timeoutMs: pushTimeoutMs,
    // Who takes a push into a folder is a child of ours, too: killed with us it would leave locks behind.
    finishes: location.startsWith('file:'),
  });
  if (result.exitCode === 0) return { ok: true };
  const why = gitFailure(push, result).message;
  return {
    ok: false,
    why,
    retryable: !/\[(remote )?rejected\]|denied|permission|forbidden|read-only/i.test(why),
  };
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
  removeDead(folder);
  const borrowed = mkdtempSync(path.join(folder, `borrow-${process.pid}-`));
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
    rmSync(borrowed, { recursive: true, force: true });
  }
}

async function keep(clone: Clone, { ref, commit }: KeptHead): Promise<void> {
  await moveKeptRef(clone.git, { repo: clone.path, ref: ownRef(ref), commit });
}

/** @throws REF_INVALID for any other ref */
function ownRef(ref: string): string {
  if (/^refs\/baton\/(attempts|salvage|left-out)\/\w[\w-]*\/\w[\w.-]*$/.test(ref) && !ref.includes('..'))
    return ref;
  throw new BatonError('REF_INVALID', `"${ref}" is not the ref of an attempt or a salvage.`, {
    fix: 'Pass what keepAttempt or salvage returned.',
  });
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

/** What a fetch left behind that was killed. */
function removeDead(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^borrow-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && processStart(Number(pid)) === null)
      rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}
