import { lstat, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { bytesOf, fromText, linesOf, quoted, unquoted, type BytePath } from '../tree/byte-path.ts';
import type { Scopes } from './ignored.ts';
import { inChunks, type Blob } from './store-blobs.ts';
import type { WalkedTree } from '../tree/walk-tree.ts';
import { treeGit, treeGitText, type Workspace } from '../tree/workspace.ts';

/** What only patterns of the agent's own exclude is saved up to here; what is more, as installed packages, is named. */
const most = { filesOfName: 1_000, files: 5_000, bytes: 20 * 1024 * 1024 };

/** Names that git excludes, by whose patterns those are. A folder ends in a slash and has all that is in it excluded. */
export interface ExcludedNames {
  /** Excluded by what the agent found: the patterns of the commit that it started from, and those of set-up. */
  found: BytePath[];
  /** Excluded only by patterns that the agent wrote, and small enough to be saved. */
  small: BytePath[];
  /** Excluded only by patterns that the agent wrote, and too much to be saved. */
  bulky: BytePath[];
}

/** Separates what the repository excludes from what the agent made git exclude: only the former is not its work. */
export async function sortExcluded(
  workspace: Workspace,
  options: { walked: WalkedTree; tracked: ReadonlyMap<BytePath, Blob>; scopes: Scopes },
): Promise<ExcludedNames> {
  const { walked, scopes } = options;
  const names = scopes.ignored;
  const { startCommit } = workspace.state;
  if (names.length === 0 || startCommit === null) return { found: names, small: [], bulky: [] };
  const patterns = await patternFiles(workspace, startCommit);
  if (areUnchanged(patterns, options)) return { found: names, small: [], bulky: [] };
  const isFound = await excludedBy(workspace, { patterns, names });
  const own = names.filter((name) => !isFound.has(name));
  const small = await smallOnes(workspace, { walked, names: own });
  return {
    found: names.filter((name) => isFound.has(name)),
    small: own.filter((name) => small.has(name)),
    bulky: own.filter((name) => !small.has(name)),
  };
}

const isPatternFile = (file: BytePath) => file === '.gitignore' || file.endsWith('/.gitignore');

async function patternFiles(workspace: Workspace, commit: string): Promise<Map<BytePath, Blob>> {
  const args = ['-c', 'core.quotePath=true', 'ls-tree', '-r', '--full-tree', commit];
  const files = new Map<BytePath, Blob>();
  for (const line of linesOf(await treeGitText(workspace, args))) {
    const [, mode = '', id = '', name = ''] = /^(100\d+) blob ([0-9a-f]+)\t(.*)$/.exec(line) ?? [];
    if (isPatternFile(unquoted(name))) files.set(unquoted(name), { mode, id });
  }
  return files;
}

/** Patterns in a folder that is excluded as a whole do nothing. */
function areUnchanged(
  patterns: ReadonlyMap<BytePath, Blob>,
  { walked, tracked, scopes }: Parameters<typeof sortExcluded>[1],
): boolean {
  const folders = new Set(scopes.ignored.filter((name) => name.endsWith('/')));
  const now = [...walked.files.keys()].filter(
    (file) => isPatternFile(file) && nameFor(file, folders) === null,
  );
  const isAsBefore = (file: BytePath) =>
    patterns.get(file)?.id === tracked.get(file)?.id && tracked.has(file) && !scopes.isChanged(file);
  return now.every(isAsBefore) && [...patterns.keys()].every((file) => walked.files.has(file));
}

/** The name of a list that a file is, or lies below; null: none. */
function nameFor(file: BytePath, names: ReadonlySet<BytePath>): BytePath | null {
  if (names.has(file)) return file;
  for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1))
    if (names.has(file.slice(0, at + 1))) return file.slice(0, at + 1);
  return null;
}

/** Git reads a pattern file from the index where its entry says that it need not be in the tree, here an empty one. */
async function excludedBy(
  workspace: Workspace,
  { patterns, names }: { patterns: ReadonlyMap<BytePath, Blob>; names: readonly BytePath[] },
): Promise<Set<BytePath>> {
  const tree = path.join(workspace.metaDir, 'found-patterns');
  const index = `${tree}.index`;
  const clear = () =>
    Promise.all([tree, index, `${index}.lock`].map((file) => rm(file, { recursive: true, force: true })));
  await clear();
  try {
    await mkdir(tree, { recursive: true });
    // Whether a pattern for folders matches is decided by what lies there.
    await inChunks(names, async (name) => {
      const place = bytesOf(`${fromText(tree)}/${name}`);
      if (name.endsWith('/')) await mkdir(place, { recursive: true }).catch(() => undefined);
    });
    const info = [...patterns].map(([file, { mode, id }]) => `${mode} ${id}\t${quoted(file)}\n`).join('');
    await treeGitText(workspace, ['update-index', '--index-info'], { index, tree, stdin: info });
    const skip = [...patterns.keys()].map((file) => `${quoted(file)}\n`).join('');
    await treeGitText(workspace, ['update-index', '--skip-worktree', '--stdin'], {
      index,
      tree,
      stdin: skip,
    });
    const stdin = names.map((name) => `${quoted(name)}\n`).join('');
    const args = ['-c', 'core.quotePath=true', 'check-ignore', '--stdin'];
    const said = await treeGit(workspace, args, { index, tree, stdin });
    return new Set(said.exitCode === 0 && !said.truncated ? linesOf(said.stdout).map(unquoted) : []);
  } finally {
    await clear();
  }
}

/** The smallest first, while there is room. */
async function smallOnes(
  workspace: Workspace,
  { walked, names }: { walked: WalkedTree; names: readonly BytePath[] },
): Promise<Set<BytePath>> {
  const filesOf = new Map<BytePath, BytePath[]>(names.map((name) => [name, []]));
  const known = new Set(names);
  for (const file of [...walked.files.keys(), ...walked.gitFiles.keys()])
    filesOf.get(nameFor(file, known) ?? '')?.push(file);
  const sized = await inChunks([...filesOf], ([name, files]) => sizeOf(workspace, { name, files }));
  const small = new Set<BytePath>();
  let [files, bytes] = [0, 0];
  for (const one of sized.sort((a, b) => a.bytes - b.bytes)) {
    files += one.files;
    bytes += one.bytes;
    if (files > most.files || bytes > most.bytes) break;
    small.add(one.name);
  }
  return small;
}

async function sizeOf(
  workspace: Workspace,
  { name, files }: { name: BytePath; files: readonly BytePath[] },
): Promise<{ name: BytePath; files: number; bytes: number }> {
  if (files.length > most.filesOfName) return { name, files: files.length, bytes: Infinity };
  const sizes = await inChunks(files, async (file) => {
    const stat = await lstat(bytesOf(`${fromText(workspace.path)}/${file}`)).catch(() => null);
    return stat?.size ?? 0;
  });
  return { name, files: files.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
