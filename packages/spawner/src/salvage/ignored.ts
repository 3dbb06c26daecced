import { fromText, linesOf, quoted, textOf, unquoted, type BytePath } from '../tree/byte-path.ts';
import { keptPaths } from './set-up-files.ts';
import type { Blob } from './store-blobs.ts';
import { isReachedIn } from '../tree/real-folders.ts';
import type { WalkedTree } from '../tree/walk-tree.ts';
import { treeGit, type Workspace } from '../tree/workspace.ts';

const mostScopes = 32;

/** What git knows of the files of a tree and of the repositories nested in it. */
export interface Scopes {
  /** False: git failed, so what it did not mention means nothing. */
  isWhole: boolean;
  /** Whether a tracked file may differ from what is tracked. */
  isChanged(file: BytePath): boolean;
  /** Whether a tracked file is not there any more. */
  isGone(file: BytePath): boolean;
  /** Whether a file is excluded by a pattern, as git itself confirmed. */
  isIgnored(file: BytePath): boolean;
  /** Untracked files as git lists them; a nested repository ends in a slash. */
  others: ReadonlySet<BytePath>;
  /** Tracked files that may differ. */
  changed: ReadonlySet<BytePath>;
  /** Untracked repositories nested in the tree, the outermost of each. */
  nested: BytePath[];
  /** What is excluded, by folder where a whole folder is; a folder ends in a slash. */
  ignored: BytePath[];
}

/**
 * Asks git which files are changed, gone or untracked, in the tree and in each nested repository by its own patterns.
 * What git does not mention counts as excluded only when `check-ignore` says so: a folder that git could not read, or
 * an answer that failed, excludes nothing.
 */
export async function listScopes(
  workspace: Workspace,
  options: {
    walked: WalkedTree;
    tracked: ReadonlyMap<BytePath, Blob>;
    forced: ReadonlySet<BytePath>;
    index: string;
  },
): Promise<Scopes> {
  const { walked, tracked, forced, index } = options;
  await forgetLinks(workspace, { tracked, index });
  const top = await listed(workspace, { root: '', index });
  const known = new Set<BytePath>([...tracked.keys(), ...forced, ...top.others]);
  const isMade = madeBySetUp(workspace);
  const nested = repositoriesOf(walked);
  const all = [...walked.files.keys()];
  const ignored = new Set<BytePath>();
  const names: BytePath[] = [];
  const exclude = async (root: BytePath, files: readonly BytePath[]) => {
    const found = await excluded(workspace, { root, files, known, index });
    for (const file of found.files) ignored.add(file);
    names.push(...found.names);
  };
  // A repository is looked at as one thing by the one around it, and then by its own patterns.
  const whole = new Set(nested.outermost.filter((root) => top.others.has(`${root}/`) || tracked.has(root)));
  const rest = all.filter(
    (file) => !known.has(file) && !isMade(file) && !whole.has(nested.outermostOf(file) ?? ''),
  );
  if (top.isWhole) await exclude('', rest);
  const byRoot = groupBy(all, (file) => nested.of(file));
  for (const root of nested.all
    .filter((folder) => !isBelow(`${folder}/`, foldersOf(names)))
    .slice(0, mostScopes)) {
    const inside = (byRoot.get(root) ?? []).filter((file) => !known.has(file) && !ignored.has(file));
    if (inside.length === 0) continue;
    const own = await listed(workspace, { root, index: `${index}.none` });
    const silent = inside.filter((file) => !own.others.has(file));
    if (own.isWhole) await exclude(root, silent);
  }
  return scopesOf({ top, names, whole });
}

function scopesOf({
  top,
  names,
  whole,
}: {
  top: Listed;
  names: readonly BytePath[];
  whole: ReadonlySet<BytePath>;
}): Scopes {
  const ignored = new Set(names);
  const ignoredRoots = foldersOf(names);
  return {
    isWhole: top.isWhole,
    isChanged: (file) => !top.isWhole || top.changed.has(file),
    isGone: (file) => top.gone.has(file),
    isIgnored: (file) => ignored.has(file) || isBelow(file, ignoredRoots),
    ignored: [...names],
    others: top.others,
    changed: top.changed,
    nested: [...whole].filter((root) => !isBelow(`${root}/`, ignoredRoots)),
  };
}

/** The same, with some of the excluded names no longer excluded. */
export function withoutNames(scopes: Scopes, names: readonly BytePath[]): Scopes {
  if (names.length === 0) return scopes;
  const dropped = new Set(names);
  const ignored = scopes.ignored.filter((name) => !dropped.has(name));
  const single = new Set(ignored);
  const folders = foldersOf(ignored);
  return { ...scopes, ignored, isIgnored: (file) => single.has(file) || isBelow(file, folders) };
}

/** The same, with some of the changed files not changed. */
export function withoutChanged(scopes: Scopes, files: readonly BytePath[]): Scopes {
  const dropped = new Set(files);
  const changed = new Set([...scopes.changed].filter((file) => !dropped.has(file)));
  return { ...scopes, changed, isChanged: (file) => !dropped.has(file) && scopes.isChanged(file) };
}

function foldersOf(names: readonly BytePath[]): Set<BytePath> {
  return new Set(names.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1)));
}

/**
 * Takes out of the index what is no business of git here: links to commits of submodules, whose folders are taken as they are, and what
 * a link in place of a folder leads to.
 */
async function forgetLinks(
  workspace: Workspace,
  { tracked, index }: { tracked: ReadonlyMap<BytePath, Blob>; index: string },
): Promise<void> {
  const isReached = isReachedIn(workspace.path);
  const links = [...tracked].filter(([file, { mode }]) => mode === '160000' || !isReached(file));
  const stdin = links.map(([file]) => `${quoted(file)}\n`).join('');
  if (links.length > 0)
    await treeGit(workspace, ['update-index', '--force-remove', '--stdin'], { index, stdin });
}

interface Listed {
  others: Set<BytePath>;
  changed: Set<BytePath>;
  gone: Set<BytePath>;
  /** False: git failed, so what it did not mention means nothing. */
  isWhole: boolean;
}

async function listed(
  workspace: Workspace,
  { root, index }: { root: BytePath; index: string },
): Promise<Listed> {
  const found: Listed = { others: new Set(), changed: new Set(), gone: new Set(), isWhole: false };
  const tree = treeOf(workspace, root);
  if (tree === null) return found;
  const kinds = root === '' ? ['-m', '-d'] : [];
  const args = ['-c', 'core.quotePath=true', 'ls-files', '-t', '-o', ...kinds, '--exclude-standard'];
  const result = await treeGit(workspace, args, { index, tree });
  found.isWhole = result.exitCode === 0 && !result.truncated;
  for (const line of linesOf(result.stdout)) {
    const file = (root === '' ? '' : `${root}/`) + unquoted(line.slice(2));
    if (line.startsWith('? ')) found.others.add(file);
    else if (line.startsWith('C ')) found.changed.add(file);
    else if (line.startsWith('R ')) found.gone.add(file);
  }
  return found;
}

/** Null for a folder whose name is no text: processes are started in folders that are named by text. */
function treeOf(workspace: Workspace, root: BytePath): string | null {
  if (root === '') return workspace.path;
  const text = textOf(root);
  return fromText(text) === root ? `${workspace.path}/${text}` : null;
}

async function excluded(
  workspace: Workspace,
  options: { root: BytePath; files: readonly BytePath[]; known: ReadonlySet<BytePath>; index: string },
): Promise<{ files: BytePath[]; names: BytePath[] }> {
  const { root, files, known } = options;
  if (files.length === 0) return { files: [], names: [] };
  const tops = topFolders(files, { root, known });
  const whole = await confirmed(workspace, { ...options, names: [...tops.keys()] });
  const others = [...tops].filter(([name]) => !whole.has(name)).flatMap(([, below]) => below);
  const single = await confirmed(workspace, { ...options, names: others });
  return {
    files: [...whole].flatMap((name) => tops.get(name) ?? []).concat([...single]),
    names: [...whole, ...single],
  };
}

/** Files by the outermost folder (or the file itself) that holds nothing but such files. */
function topFolders(
  files: readonly BytePath[],
  { root, known }: { root: BytePath; known: ReadonlySet<BytePath> },
): Map<BytePath, BytePath[]> {
  const shared = new Set<BytePath>([root]);
  for (const file of known)
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1))
      shared.add(file.slice(0, at));
  const tops = new Map<BytePath, BytePath[]>();
  for (const file of files) {
    let top = file;
    for (;;) {
      const cut = top.lastIndexOf('/');
      const folder = cut < 0 ? '' : top.slice(0, cut);
      if (folder === '' || shared.has(folder)) break;
      top = folder;
    }
    const name = top === file ? file : `${top}/`;
    const below = tops.get(name);
    if (below === undefined) tops.set(name, [file]);
    else below.push(file);
  }
  return tops;
}

async function confirmed(
  workspace: Workspace,
  { root, names, index }: { root: BytePath; names: readonly BytePath[]; index: string },
): Promise<Set<BytePath>> {
  const tree = treeOf(workspace, root);
  if (names.length === 0 || tree === null) return new Set();
  const cut = root === '' ? 0 : root.length + 1;
  const stdin = names.map((name) => `${quoted(name.slice(cut))}\n`).join('');
  const args = ['-c', 'core.quotePath=true', 'check-ignore', '--no-index', '--stdin'];
  const result = await treeGit(workspace, args, { tree, stdin, index: `${index}.none` });
  if (result.exitCode !== 0 || result.truncated) return new Set();
  const known = new Set(names);
  const said = linesOf(result.stdout).map((line) => (root === '' ? '' : `${root}/`) + unquoted(line));
  return new Set(said.filter((name) => known.has(name)));
}

function repositoriesOf(walked: WalkedTree) {
  const all = walked.repositories;
  const roots = new Set(all);
  const ancestors = (file: BytePath): BytePath[] => {
    const found: BytePath[] = [];
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1))
      if (roots.has(file.slice(0, at))) found.push(file.slice(0, at));
    return found;
  };
  const outermostOf = (file: BytePath) => ancestors(file).at(-1) ?? null;
  return {
    all,
    outermost: all.filter((root) => ancestors(root).length === 0),
    of: (file: BytePath) => (roots.size === 0 ? null : (ancestors(file)[0] ?? null)),
    outermostOf: (file: BytePath) => (roots.size === 0 ? null : outermostOf(file)),
  };
}

function madeBySetUp(workspace: Workspace): (file: BytePath) => boolean {
  const made = new Set([...keptPaths(workspace), ...workspace.state.copied].map((file) => fromText(file)));
  return (file) => made.has(file) || isBelow(file, made);
}

function isBelow(file: BytePath, folders: ReadonlySet<BytePath>): boolean {
  if (folders.size === 0) return false;
  for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1))
    if (folders.has(file.slice(0, at))) return true;
  return false;
}

function groupBy<Key>(all: readonly BytePath[], keyOf: (file: BytePath) => Key): Map<Key, BytePath[]> {
  const groups = new Map<Key, BytePath[]>();
  for (const file of all) {
    const group = groups.get(keyOf(file));
    if (group === undefined) groups.set(keyOf(file), [file]);
    else group.push(file);
  }
  return groups;
}
