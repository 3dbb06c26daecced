import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { isRealFolder } from '../tree/agent-git.ts';
import { bytesOf, fromText, type BytePath } from '../tree/byte-path.ts';
import type { AttemptKey, Clone } from '../tree/clone.ts';
import { nameOf } from '../tree/left-out.ts';
import { indexFile, saveState, type Workspace } from '../tree/workspace.ts';
import { copyTree } from './copy-tree.ts';

const record = z.object({
  taskId: z.string(),
  fence: z.number().int(),
  savedAt: z.string(),
  why: z.string(),
  leftOut: z.array(z.object({ file: z.string(), reason: z.string(), detail: z.string().optional() })),
});

/** A worktree that could not be saved whole, and was therefore kept as it was. */
export interface SetAside extends AttemptKey {
  /** Name by which `baton rescue --ref` takes it: `set-aside/<task>/<fence>.<n>`. */
  ref: string;
  /** Absolute path of the folder, in which nothing was changed since. */
  path: string;
  /** When it was set aside, ISO 8601. */
  savedAt: string;
  why: string;
  leftOut: { file: string; reason: string; detail?: string | undefined }[];
}

const folderOf = (clone: Clone) => path.join(path.dirname(clone.path), 'set-aside');

/**
 * Moves a worktree away under its attempt's name; the workspace is then without a tree, and nothing in it counts as
 * set up. Called again after a crash, it resumes where it was.
 *
 * @returns Where it lies; null: there is nothing left to move.
 */
export function setAside(workspace: Workspace, { now }: { now: Date }): SetAside | null {
  const { owner, unsaved } = workspace.state;
  if (owner === null || unsaved === null) return null;
  const isThere = lstatSync(workspace.path, { throwIfNoEntry: false }) !== undefined;
  const moved = isThere ? place(workspace.clone, { ...owner, ...unsaved, savedAt: now.toISOString() }) : null;
  if (moved !== null) renameSync(workspace.path, moved.path);
  rmSync(indexFile(workspace), { force: true });
  saveState(workspace, { unsaved: null, head: null, setupKey: null, setupPaths: [], copied: [], caches: {} });
  return moved;
}

/**
 * Moves what an attempt left in the folder of its worktree, beside the tree, away under its name: a tree that it gave another name too.
 * What was there when the worktree was handed out stays.
 *
 * @returns Where it lies; null: there is nothing.
 */
export function setAsideBeside(workspace: Workspace, { now }: { now: Date }): SetAside | null {
  const { owner, beside } = workspace.state;
  const left = owner === null ? [] : namesBeside(workspace).filter((name) => !beside.includes(name));
  if (owner === null || left.length === 0) return null;
  const named = left.slice(0, mostNamed).map(nameOf).join(', ');
  const more = left.length > mostNamed ? ` and ${left.length - mostNamed} more` : '';
  const why = `it was left beside the worktree: ${named}${more}`;
  const moved = place(workspace.clone, { ...owner, why, leftOut: [], savedAt: now.toISOString() });
  mkdirSync(moved.path, { mode: 0o700 });
  const slot = path.dirname(workspace.path);
  for (const name of left)
    renameSync(bytesOf(`${fromText(slot)}/${name}`), bytesOf(`${fromText(moved.path)}/${name}`));
  return moved;
}

const mostNamed = 5;

/** What Baton itself puts into the folder of a worktree. */
const own = /^(tree(\.discarded)?|meta|task|lock|scratch|uses|setups|run-\d+)$/;

/** Names in the folder of a worktree that are not Baton's. */
export function namesBeside({ path: tree }: Workspace): BytePath[] {
  const names = readdirSync(path.dirname(tree), { encoding: 'buffer' });
  return names.map((name) => name.toString('latin1')).filter((name) => !own.test(name));
}

/** Makes the folder with the record of what is about to be moved to `path`. */
function place(clone: Clone, record: Omit<SetAside, 'ref' | 'path'>): SetAside {
  const name = freePlace(clone, record);
  const folder = path.join(folderOf(clone), name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(folder, 'record.json'), JSON.stringify(record));
  return { ...record, ref: `set-aside/${name}`, path: path.join(folder, 'tree') };
}

/** The first number that has no tree: one without a tree is from a move that a crash cut off. */
function freePlace(clone: Clone, { taskId, fence }: AttemptKey): string {
  for (let number = 1; ; number += 1) {
    const name = `${taskId}/${fence}.${number}`;
    if (lstatSync(path.join(folderOf(clone), name, 'tree'), { throwIfNoEntry: false }) === undefined)
      return name;
  }
}

/** Worktrees that were set aside, of one task or of all, oldest first. */
export function listSetAside(clone: Clone, taskId?: string): SetAside[] {
  const top = folderOf(clone);
  if (!existsSync(top)) return [];
  const tasks =
    taskId === undefined ? readdirSync(top) : [taskId].filter((id) => existsSync(path.join(top, id)));
  return tasks
    .flatMap((task) => readdirSync(path.join(top, task)).flatMap((name) => readOne(top, `${task}/${name}`)))
    .sort((one, other) => one.savedAt.localeCompare(other.savedAt));
}

function readOne(top: string, name: string): SetAside[] {
  const tree = path.join(top, name, 'tree');
  // One that is being removed was renamed.
  if (!/\/\d+\.\d+$/.test(name)) return [];
  if (lstatSync(tree, { throwIfNoEntry: false }) === undefined) return [];
  const place = { ref: `set-aside/${name}`, path: tree };
  const file = path.join(top, name, 'record.json');
  const read = record.safeParse(readJson(file));
  if (read.success) return [{ ...read.data, ...place }];
  const [, taskId = '', fence = ''] = /^(.+)\/(\d+)\.\d+$/.exec(name) ?? [];
  const stat = lstatSync(file, { throwIfNoEntry: false }) ?? lstatSync(tree);
  const why = 'the record of why cannot be read';
  return [{ ...place, taskId, fence: Number(fence), savedAt: stat.mtime.toISOString(), why, leftOut: [] }];
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** Copies a worktree that was set aside, without git folders, pipes, sockets and devices; names what was not copied. */
export async function copySetAside(
  one: SetAside,
  { into }: { into: string },
): Promise<{ files: number; missing: string[] }> {
  if (!isRealFolder(one.path)) return { files: 0, missing: ['.'] };
  const { files, missing } = await copyTree(one.path, { into });
  return { files, missing: missing.map(nameOf) };
}
