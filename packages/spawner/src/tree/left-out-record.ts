import path from 'node:path';
import { z } from 'zod';
import { gitText } from '../git/git.ts';
import { linesOf, type BytePath } from './byte-path.ts';
import { leftOutRef, type AttemptKey, type Clone } from './clone.ts';
import { leftOut, leftOutReasons, type LeftOut } from './left-out.ts';
import type { Workspace } from './workspace.ts';

const mostEntries = 100_000;
const mostBytes = 16 * 1024 * 1024;

const record = z.object({
  version: z.literal(1),
  leftOut: z.array(
    z.object({ file: z.string(), reason: z.enum(leftOutReasons), detail: z.string().optional() }),
  ),
});

/** What one attempt left and no ref holds. */
export interface LeftOutRecord extends AttemptKey {
  /** Ref of the blob that holds the list as JSON: `refs/baton/left-out/<task>/<fence>`. */
  ref: string;
  leftOut: LeftOut[];
}

/**
 * Writes the whole list of what an attempt left and no ref holds to a blob at `refs/baton/left-out/<task>/<fence>`. What an
 * earlier list of the same attempt says of pipes, sockets, devices and the agent's git folder stays: they were removed after they had been
 * named.
 */
export async function keepLeftOut(
  clone: Clone,
  attempt: AttemptKey,
  list: readonly LeftOut[],
): Promise<void> {
  const ref = leftOutRef(attempt);
  const at = { cwd: clone.path };
  const before = await readRecord(clone, ref);
  if (before === null && list.length === 0) return;
  const names = new Set(list.map(({ file }) => file));
  const gone = (before ?? []).filter((one) => isRemoved(one) && !names.has(one.file));
  const all = bounded([...list, ...gone]);
  if (all.length === 0) {
    await gitText(clone.git, ['update-ref', '-d', ref], at);
    return;
  }
  const stdin = `${JSON.stringify({ version: 1, leftOut: all })}\n`;
  const blob = await gitText(clone.git, ['hash-object', '-w', '--no-filters', '--stdin'], { ...at, stdin });
  await gitText(clone.git, ['update-ref', ref, blob], at);
}

function isRemoved({ file, reason }: LeftOut): boolean {
  return reason === 'special' || /^\.git(\/|$)/.test(file);
}

/** Names pipes, sockets and devices before they are removed: after a crash in between, only this says that they were there. */
export async function noteSpecial({ clone, state }: Workspace, special: readonly BytePath[]): Promise<void> {
  if (special.length === 0 || state.owner === null) return;
  const known = (await readLeftOutOf(clone, state.owner)) ?? [];
  const names = new Set(known.map(({ file }) => file));
  const added = special.map((file) => leftOut(file, 'special')).filter(({ file }) => !names.has(file));
  if (added.length > 0) await keepLeftOut(clone, state.owner, [...known, ...added]);
}

/** The lists of one task or of all, by task and fence. A blob that cannot be read as one is no list. */
export async function listLeftOut(clone: Clone, taskId?: string): Promise<LeftOutRecord[]> {
  const under =
    taskId === undefined ? 'refs/baton/left-out' : path.posix.dirname(leftOutRef({ taskId, fence: 0 }));
  const args = ['for-each-ref', '--format=%(refname)', under];
  const found: LeftOutRecord[] = [];
  for (const ref of linesOf(await gitText(clone.git, args, { cwd: clone.path }))) {
    const [, task = '', fence = ''] = /^refs\/baton\/left-out\/(.+)\/(\d+)$/.exec(ref) ?? [];
    const leftOut = task === '' ? null : await readRecord(clone, ref);
    if (leftOut !== null) found.push({ ref, taskId: task, fence: Number(fence), leftOut });
  }
  return found.sort((a, b) => a.taskId.localeCompare(b.taskId) || a.fence - b.fence);
}

/** The list of one attempt; null: there is none. */
export function readLeftOutOf(clone: Clone, attempt: AttemptKey): Promise<LeftOut[] | null> {
  return readRecord(clone, leftOutRef(attempt));
}

async function readRecord(clone: Clone, ref: string): Promise<LeftOut[] | null> {
  const shown = await clone.git(['cat-file', 'blob', ref], { cwd: clone.path });
  if (shown.exitCode !== 0 || shown.truncated) return null;
  const read = record.safeParse(parsed(shown.stdout));
  if (!read.success) return null;
  return read.data.leftOut.map(({ file, reason, detail }) =>
    detail === undefined ? { file, reason } : { file, reason, detail },
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A list beyond its limits names folders, the outermost ones, with how many entries each covers. */
export function bounded(
  all: readonly LeftOut[],
  limits: { entries: number; bytes: number } = { entries: mostEntries, bytes: mostBytes },
): LeftOut[] {
  let bytes = 0;
  const fits = all.findIndex((one, at) => {
    bytes += JSON.stringify(one).length * 2;
    return at >= limits.entries || bytes > limits.bytes;
  });
  if (fits < 0) return [...all];
  const [head, rest] = [all.slice(0, fits), all.slice(fits)];
  const byFolder = folded(rest, outermost);
  return [...head, ...(byFolder.length <= limits.entries ? byFolder : folded(rest, () => './'))];
}

function outermost(file: string): string {
  const cut = file.startsWith('"') ? -1 : file.indexOf('/');
  return cut < 0 ? './' : file.slice(0, cut + 1);
}

function folded(all: readonly LeftOut[], folderOf: (file: string) => string): LeftOut[] {
  const counts = new Map<string, { file: string; reason: LeftOut['reason']; count: number }>();
  for (const { file, reason } of all) {
    const folder = folderOf(file);
    const known = counts.get(`${reason} ${folder}`);
    if (known === undefined) counts.set(`${reason} ${folder}`, { file: folder, reason, count: 1 });
    else known.count += 1;
  }
  return [...counts.values()].map(({ file, reason, count }) => {
    return { file, reason, detail: `${count} more names in it` };
  });
}
