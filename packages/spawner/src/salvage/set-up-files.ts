import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync, type BigIntStats } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { isRealFolder } from '../tree/agent-git.ts';
import { bytesOf, fromText, type BytePath } from '../tree/byte-path.ts';
import { leftOut, type LeftOut } from '../tree/left-out.ts';
import { lookThrough } from '../tree/tree-state.ts';
import { saveState, type Workspace } from '../tree/workspace.ts';

/** What set-up makes once and a reset keeps, or what it copies in each time. */
type SetUpKind = 'kept' | 'copied';

/** What differs from what set-up left. */
interface SetUpChanges {
  /** Entries that were not there, a folder before what is in it. */
  added: { file: BytePath; isFolder: boolean }[];
  /** Entries that were written to or replaced. */
  changed: BytePath[];
  /** Paths of set-up in which something was changed or deleted, or of which it is not known. */
  spoilt: string[];
  /** Paths of set-up that cannot be compared. */
  unknown: string[];
}

const mostNamed = 1_000;

/** Paths that set-up made and that a reset leaves alone. */
export function keptPaths(workspace: Workspace): string[] {
  return [...new Set([...workspace.state.setupPaths, ...Object.keys(workspace.state.caches)])];
}

/**
 * Notes the state of what set-up left in the tree, as names and numbers without contents, so that it can be compared later
 * with what is there then.
 */
export async function noteSetUp(workspace: Workspace, kind: SetUpKind): Promise<void> {
  const lines: string[] = [];
  for (const top of topsOf(workspace, kind)) {
    const states = await statesBelow(workspace, top);
    for (const [file, state] of states ?? []) lines.push(file, state);
  }
  const file = noteFile(workspace, kind);
  writeFileSync(`${file}.new`, lines.join('\0'), 'latin1');
  renameSync(`${file}.new`, file);
}

/** Says that what set-up left is not known, as long as it is at work. */
export function forgetSetUp(workspace: Workspace): void {
  rmSync(noteFile(workspace, 'kept'), { force: true });
}

/** Whether it is noted what set-up left. */
export function isNoted(workspace: Workspace): boolean {
  return lstatSync(noteFile(workspace, 'kept'), { throwIfNoEntry: false }) !== undefined;
}

/** What differs from what set-up left: by mode, size, inode and times, without a look at contents. */
async function setUpChanges(workspace: Workspace, kind: SetUpKind): Promise<SetUpChanges> {
  const changes: SetUpChanges = { added: [], changed: [], spoilt: [], unknown: [] };
  const noted = readNote(workspace, kind);
  for (const top of topsOf(workspace, kind)) await compare(workspace, { top, noted, changes });
  return changes;
}

/**
 * Takes out of set-up what somebody did there: what was added is removed; where anything was changed or deleted, set-up is forgotten
 * and made again.
 */
export async function undoSetUpChanges(workspace: Workspace): Promise<void> {
  if (keptPaths(workspace).length === 0) return;
  const { added, spoilt } = await setUpChanges(workspace, 'kept');
  const again = (await areRemoved(workspace, added)) ? spoilt : topsOf(workspace, 'kept');
  if (again.length === 0) return;
  const { caches } = workspace.state;
  const whole = Object.entries(caches).filter(([folder]) => !again.includes(trimmed(folder)));
  saveState(workspace, { setupKey: null, setupPaths: [], caches: Object.fromEntries(whole) });
}

/** False: one resists, so that the whole is to be cleared away. */
async function areRemoved(workspace: Workspace, added: SetUpChanges['added']): Promise<boolean> {
  try {
    for (const { file } of added)
      await rm(bytesOf(`${fromText(workspace.path)}/${file}`), { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/** Names what was done inside what set-up made and is not saved; a folder that is new as one, and too many by what set-up made. */
export async function leftInSetUp(
  workspace: Workspace,
  { isSaved }: { isSaved: (file: BytePath) => boolean },
): Promise<LeftOut[]> {
  const left: LeftOut[] = [];
  for (const kind of ['kept', 'copied'] as const) {
    const { added, changed, unknown } = await setUpChanges(workspace, kind);
    const folders = new Set(added.flatMap(({ file, isFolder }) => (isFolder ? [file] : [])));
    const fresh = added.filter(({ file, isFolder }) => !isFolder && !isSaved(file));
    const named = new Map<BytePath, string>(
      changed.filter((file) => !isSaved(file)).map((file) => [file, 'changed']),
    );
    for (const { file } of fresh) named.set(outermostOf(file, folders), 'added');
    for (const top of topsOf(workspace, kind)) {
      const below = [...named].filter(([file]) => isWithin(file, fromText(top)));
      const isMany = below.length > mostNamed;
      if (isMany)
        left.push(leftOut(`${fromText(top)}/`, 'set_up', `${below.length} names in it added or changed`));
      else left.push(...below.map(([file, how]) => leftOut(file, 'set_up', how)));
    }
    for (const top of unknown) left.push(leftOut(fromText(top), 'set_up', 'it cannot be compared'));
  }
  return left;
}

function isWithin(file: BytePath, top: BytePath): boolean {
  return file === top || file.startsWith(`${top}/`);
}

function outermostOf(file: BytePath, folders: ReadonlySet<BytePath>): BytePath {
  for (let at = file.indexOf('/'); at > 0; at = file.indexOf('/', at + 1))
    if (folders.has(file.slice(0, at))) return file.slice(0, at + 1);
  return file;
}

async function compare(
  workspace: Workspace,
  { top, noted, changes }: { top: string; noted: ReadonlyMap<BytePath, string>; changes: SetUpChanges },
): Promise<void> {
  const isKnown = noted.has(fromText(top));
  const now = isKnown && leadsThere(workspace, top) ? await statesBelow(workspace, top) : null;
  if (now === null) {
    changes.spoilt.push(top);
    changes.unknown.push(top);
    return;
  }
  const changed: BytePath[] = [];
  for (const [file, state] of now) {
    const before = noted.get(file);
    if (before === undefined) changes.added.push({ file, isFolder: state.startsWith(folderMark) });
    else if (!isSame(before, state)) changed.push(file);
  }
  changes.changed.push(...changed.filter((file) => now.get(file) !== gone));
  const isWhole = [...noted.keys()].every((file) => now.has(file) || !isWithin(file, fromText(top)));
  if (!isWhole || changed.length > 0) changes.spoilt.push(top);
}

const folderMark = 'folder ';
const gone = 'gone';

/** Null: there is too much of it. */
async function statesBelow(workspace: Workspace, top: string): Promise<Map<BytePath, string> | null> {
  const states = new Map<BytePath, string>();
  const cut = fromText(workspace.path).length + 1;
  const isWhole = await lookThrough(fromText(path.join(workspace.path, top)), {
    visit: (file, stat) => void states.set(file.slice(cut), stateOf(stat)),
  });
  return isWhole ? states : null;
}

/** No program can set the last number. It says nothing of a file with several names, as stores of packages have: each new name changes it. */
function stateOf(stat: BigIntStats | undefined): string {
  if (stat === undefined) return gone;
  if (stat.isDirectory()) return `${folderMark}${stat.mode}`;
  const { mode, size, ino, mtimeNs, ctimeNs } = stat;
  return `${mode} ${size} ${ino} ${mtimeNs} ${stat.nlink > 1n ? shared : ctimeNs}`;
}

const shared = '-';

function isSame(before: string, now: string): boolean {
  if (before === now) return true;
  const isShared = [before, now].some((state) => state.endsWith(` ${shared}`));
  return isShared && withoutLast(before) === withoutLast(now);
}

const withoutLast = (state: string): string => state.slice(0, state.lastIndexOf(' '));

/** Nothing is looked at, or removed, through a link. */
function leadsThere(workspace: Workspace, top: string): boolean {
  for (let at = path.dirname(top); at !== '.'; at = path.dirname(at))
    if (!isRealFolder(path.join(workspace.path, at))) return false;
  return isRealFolder(workspace.path);
}

function topsOf(workspace: Workspace, kind: SetUpKind): string[] {
  const all = kind === 'kept' ? keptPaths(workspace) : workspace.state.copied;
  return [...new Set(all.map(trimmed))].filter((top) => top !== '.');
}

const trimmed = (file: string): string => path.normalize(file).replace(/\/$/, '');

const noteFile = ({ metaDir }: Workspace, kind: SetUpKind): string => path.join(metaDir, `set-up-${kind}`);

function readNote(workspace: Workspace, kind: SetUpKind): Map<BytePath, string> {
  const noted = new Map<BytePath, string>();
  const parts = noteText(noteFile(workspace, kind)).split('\0');
  for (let at = 0; at + 1 < parts.length; at += 2) noted.set(parts[at] ?? '', parts[at + 1] ?? '');
  return noted;
}

function noteText(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
