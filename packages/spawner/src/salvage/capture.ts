import { rmSync } from 'node:fs';
import path from 'node:path';
import { readAgentIndex, type StagedByAgent } from '../tree/agent-index.ts';
import { fromText, linesOf, quoted, unquoted, type BytePath } from '../tree/byte-path.ts';
import { noteSpecial } from '../tree/left-out-record.ts';
import { sortExcluded, type ExcludedNames } from './found-patterns.ts';
import { listScopes, withoutNames, type Scopes } from './ignored.ts';
import { leftOut, type LeftOut } from '../tree/left-out.ts';
import { outsideLinks } from '../tree/outside.ts';
import { keptPath } from './refused-names.ts';
import { keptPaths, leftInSetUp } from './set-up-files.ts';
import { isSecretLike } from './secret-files.ts';
import { entriesOf } from './staged-entries.ts';
import { storeBlobs, type Blob, type StoredBlobs } from './store-blobs.ts';
import { comesBack, normalisedOf, touchedFiles } from './raw-bytes.ts';
import { indexOf, treeGitText, type Workspace } from '../tree/workspace.ts';
import { hasSubmodules, moduleFiles, submoduleDigest } from '../tree/submodules.ts';
import { removeSpecial, walkTree, type WalkedTree } from '../tree/walk-tree.ts';

/** A tree as it was saved. */
export interface Captured {
  /** Id of the saved tree, in the clone. */
  tree: string;
  /** What is not in it, with reasons. */
  leftOut: LeftOut[];
  /** Files that may hold secrets: to be kept on this machine. */
  secrets: BytePath[];
}

/** How {@link captureTree} captures. */
export interface CaptureOptions {
  /** Commit whose files count as tracked; null: only those of Baton's own index. */
  from: string | null;
  /** True: somebody still works in it, so nothing in it is changed. */
  isLive: boolean;
  /** Whether `from` is the attempt's start or its finished work: a checkout of it is what brings its files back. */
  isCheckedOut(): Promise<boolean>;
}

/**
 * Saves every file of the tree, byte for byte, whatever attributes, encodings or filters say, and reports what it left
 * out. Repositories nested in it are taken with their git folders, as plain files. At the end the saved tree is
 * compared with what was found: what is in neither of the two lists counts as not saved.
 */
export async function captureTree(workspace: Workspace, options: CaptureOptions): Promise<Captured> {
  const index = path.join(workspace.metaDir, 'salvage-index');
  const drafts = [index, `${index}.lock`, `${index}.new`, `${index}.new.lock`];
  const clear = () => drafts.forEach((file) => rmSync(file, { force: true }));
  clear(); // a git that was killed leaves its lock
  try {
    return await captureWith(workspace, { ...options, index });
  } finally {
    clear();
  }
}

type CaptureRun = CaptureOptions & { index: string };

async function captureWith(workspace: Workspace, options: CaptureRun): Promise<Captured> {
  const { from, isLive, index, isCheckedOut } = options;
  const found = await findFiles(workspace, options);
  const { tracked, walked, staged, scopes } = found;
  const isCommitted = await touchedFiles(workspace, { from, index });
  const chosen = toBeSaved(workspace, { walked, tracked, isCommitted, scopes, forced: staged.forced });
  const { secrets } = chosen;
  const wanted = isLive ? chosen.wanted : await withSubmodules(workspace, { wanted: chosen.wanted, tracked });
  const stored = await storeBlobs(workspace, wanted, { mayChange: !isLive });
  const left = await allLeftOut(workspace, found, { secrets, wanted, stored, isLive });
  const { entries, changed } = savedEntries({
    tracked,
    walked,
    scopes,
    stored: stored.blobs,
    sparse: staged.sparse,
  });
  const normalised = normalisedOf({ tracked, stored: stored.blobs, isChanged: scopes.isChanged });
  const isSame = !changed && (await comesBack(workspace, { files: normalised, index, isCheckedOut }));
  if (isSame && found.isWhole && from !== null) {
    const tree = await treeGitText(workspace, [
      'rev-parse',
      '--verify',
      '--end-of-options',
      `${from}^{tree}`,
    ]);
    return { tree, leftOut: left, secrets };
  }
  const tree = await writeTree(workspace, { entries, index: `${index}.new` });
  const lost = await notIn(workspace, { tree, entries });
  return { tree, leftOut: [...left, ...lost], secrets };
}

/** What a tree holds, and what git and its agent say of it. */
interface Found {
  tracked: Map<BytePath, Blob>;
  /** False: not all that is tracked is known. */
  isWhole: boolean;
  walked: WalkedTree;
  staged: StagedByAgent;
  excluded: ExcludedNames;
  scopes: Scopes;
}

async function findFiles(workspace: Workspace, { from, isLive, index }: CaptureRun): Promise<Found> {
  const { tracked, isWhole } = await trackedFiles(workspace, { from, index });
  const walked = await walkTree(workspace.path, { skip: skipped(workspace, tracked), mayChange: !isLive });
  if (!isLive) {
    await noteSpecial(workspace, walked.special);
    await removeSpecial(workspace.path, walked.special);
  }
  const staged = isLive
    ? { forced: new Set<BytePath>(), sparse: new Set<BytePath>() }
    : await readAgentIndex(workspace, from);
  const all = await listScopes(workspace, { walked, tracked, forced: staged.forced, index });
  const excluded = await sortExcluded(workspace, { walked, tracked, scopes: all });
  const scopes = withoutNames(all, excluded.small);
  return { tracked, isWhole, walked, staged, excluded, scopes };
}

async function allLeftOut(
  workspace: Workspace,
  { tracked, walked, excluded, scopes }: Found,
  {
    secrets,
    wanted,
    stored,
    isLive,
  }: { secrets: readonly BytePath[]; wanted: readonly BytePath[]; stored: StoredBlobs; isLive: boolean },
): Promise<LeftOut[]> {
  const links = wanted.filter((file) => walked.files.get(file) === 'link');
  const isSaved = (file: BytePath) => tracked.has(file) || stored.blobs.has(file);
  return [
    ...stored.leftOut,
    ...walked.unreached.map(({ file, why }) => leftOut(`${file}/`, 'unreached', why)),
    ...secrets.map((file) => leftOut(file, 'secret')),
    ...walked.special.map((file) => leftOut(file, 'special')),
    ...walked.empty.filter((file) => !scopes.isIgnored(file)).map((file) => leftOut(`${file}/`, 'empty')),
    ...(await outsideLinks(workspace, links)),
    ...ignoredOnes(excluded),
    ...(isLive ? [] : await leftInSetUp(workspace, { isSaved })),
  ];
}

function ignoredOnes({ found, bulky }: ExcludedNames): LeftOut[] {
  const own = bulky.map((file) =>
    leftOut(file, 'ignored', 'by a pattern that its agent wrote; too much to be saved'),
  );
  return [...own, ...found.map((file) => leftOut(file, 'ignored'))];
}

/** What Baton's index and a commit hold; the index is left at `index` for what follows. */
async function trackedFiles(
  workspace: Workspace,
  { from, index }: { from: string | null; index: string },
): Promise<{ tracked: Map<BytePath, Blob>; isWhole: boolean }> {
  const read = await indexOf(workspace, { from, index });
  const isWhole = read === null || read.exitCode === 0;
  return { tracked: await entriesOf(workspace, index), isWhole };
}

/** What set-up made is not walked, unless git holds something in it. */
function skipped(workspace: Workspace, tracked: ReadonlyMap<BytePath, Blob>): Set<BytePath> {
  const kept = keptPaths(workspace).map((file) => fromText(file.replace(/\/$/, '')));
  const names = [...tracked.keys()];
  return new Set(kept.filter((folder) => !names.some((file) => file.startsWith(`${folder}/`))));
}

function toBeSaved(
  workspace: Workspace,
  {
    walked,
    tracked,
    isCommitted,
    scopes,
    forced,
  }: {
    walked: WalkedTree;
    tracked: ReadonlyMap<BytePath, Blob>;
    isCommitted: (file: BytePath) => boolean;
    scopes: Scopes;
    forced: ReadonlySet<BytePath>;
  },
): { wanted: BytePath[]; secrets: BytePath[] } {
  const made = new Set([...keptPaths(workspace), ...workspace.state.copied].map(fromText));
  const wanted: BytePath[] = [];
  const secrets: BytePath[] = [];
  for (const [file, kind] of walked.files) {
    if (tracked.has(file)) {
      if (scopes.isChanged(file) || isCommitted(file)) wanted.push(file);
    } else if (made.has(file) || (scopes.isIgnored(file) && !forced.has(file))) continue;
    else if (kind === 'file' && isSecretLike(file)) secrets.push(file);
    else wanted.push(file);
  }
  for (const file of walked.gitFiles.keys()) if (!scopes.isIgnored(file)) wanted.push(file);
  return { wanted, secrets };
}

/** Submodules in which somebody worked are saved with their git folders; those that are as set-up left them, not at all. */
async function withSubmodules(
  workspace: Workspace,
  { wanted, tracked }: { wanted: readonly BytePath[]; tracked: ReadonlyMap<BytePath, Blob> },
): Promise<BytePath[]> {
  if (!hasSubmodules(workspace)) return [...wanted];
  const links = [...tracked].flatMap(([file, { mode }]) => (mode === '160000' ? [file] : []));
  const { submodules } = workspace.state;
  const isAsSetUp = submodules !== null && submodules === (await submoduleDigest(workspace, links));
  if (!isAsSetUp) return [...wanted, ...(await moduleFiles(workspace))];
  return wanted.filter((file) => !links.some((link) => file.startsWith(`${link}/`)));
}

/** The saved tree's entries, and whether they differ from what is tracked. */
function savedEntries({
  tracked,
  walked,
  scopes,
  stored,
  sparse,
}: {
  tracked: ReadonlyMap<BytePath, Blob>;
  walked: WalkedTree;
  scopes: Scopes;
  stored: ReadonlyMap<BytePath, Blob>;
  sparse: ReadonlySet<BytePath>;
}): { entries: Map<BytePath, Blob>; changed: boolean } {
  const entries = new Map<BytePath, Blob>();
  let changed = false;
  const filled = filledFolders(stored.keys());
  const isUnreached = (file: BytePath) => walked.unreached.some((one) => file.startsWith(`${one.file}/`));
  for (const [file, blob] of tracked) {
    const isLink = blob.mode === '160000';
    const stays = isLink
      ? !filled.has(file)
      : walked.files.has(file) || sparse.has(file) || isUnreached(file);
    if (stays && !(isLink ? false : scopes.isGone(file) && !sparse.has(file))) entries.set(file, blob);
    else changed = true;
  }
  for (const [file, blob] of stored) {
    const before = tracked.get(file);
    const isNormalised = before !== undefined && !scopes.isChanged(file);
    if (before?.mode !== blob.mode || (before.id !== blob.id && !isNormalised)) changed = true;
    const kind = blob.mode === '120000' ? 'link' : 'file';
    const isTaken = (other: BytePath) => entries.has(other) || stored.has(other);
    entries.set(keptPath(file, { kind, isTaken }), blob);
  }
  return { entries, changed };
}

/** Every folder on the way to one of the files. */
function filledFolders(files: Iterable<BytePath>): Set<BytePath> {
  const folders = new Set<BytePath>();
  for (const file of files)
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1))
      folders.add(file.slice(0, at));
  return folders;
}

async function writeTree(
  workspace: Workspace,
  { entries, index }: { entries: ReadonlyMap<BytePath, Blob>; index: string },
): Promise<string> {
  rmSync(index, { force: true });
  const stdin = [...entries].map(([file, { mode, id }]) => `${mode} ${id}\t${quoted(file)}\n`).join('');
  await treeGitText(workspace, ['update-index', '--index-info'], { index, stdin });
  return treeGitText(workspace, ['write-tree', '--missing-ok'], { index });
}

/** What should be in a tree and is not: the last look, at the tree itself. */
async function notIn(
  workspace: Workspace,
  { tree, entries }: { tree: string; entries: ReadonlyMap<BytePath, Blob> },
): Promise<LeftOut[]> {
  const printed = await treeGitText(workspace, ['-c', 'core.quotePath=true', 'ls-tree', '-r', tree]);
  const there = new Map<BytePath, string>();
  for (const line of linesOf(printed)) {
    const [, mode = '', id = '', name = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/.exec(line) ?? [];
    there.set(unquoted(name), `${mode} ${id}`);
  }
  return [...entries]
    .filter(([file, { mode, id }]) => there.get(file) !== `${mode} ${id}`)
    .map(([file]) => leftOut(file, 'incomplete', 'it is not in the saved tree'));
}
