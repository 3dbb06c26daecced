import { lstatSync, rmSync, type Stats } from 'node:fs';
import { BatonError } from '@baton/contracts';
import { gitFailure } from '../git/git.ts';
import { readAgentIndex } from '../tree/agent-index.ts';
import { bytesOf, fromText, linesOf, quoted, textOf, unquoted, type BytePath } from '../tree/byte-path.ts';
import { addListed } from './add-listed.ts';
import { listScopes, withoutChanged, type Scopes } from './ignored.ts';
import { noteSpecial } from '../tree/left-out-record.ts';
import { holdsNothingElse } from './settled.ts';
import { keptPaths } from './set-up-files.ts';
import { entriesOf, taken } from './staged-entries.ts';
import { storeBlobs, type Blob } from './store-blobs.ts';
import { unwrittenFiles } from './unwritten.ts';
import { removeSpecial, walkTree, type WalkedTree } from '../tree/walk-tree.ts';
import { copyIndex, indexOf, treeGit, treeGitText, type Workspace } from '../tree/workspace.ts';

const mostNamed = 5;
const mostRepositories = 32;
/** Git would be busy with a larger file for longer than anything waits for it. */
const largestCommitted = 2 * 1024 ** 3;

/** How {@link stageTree} stages. */
export interface StageOptions {
  /** Index that is written; starts as a copy of Baton's own. */
  index: string;
  /** Commit whose content the index starts from: files that it holds are staged though a pattern excludes them. */
  from: string | null;
}

/** What was staged. */
interface Staged {
  tree: string;
  /** Files of it are not there because of a sparse checkout. */
  isSparse: boolean;
  /** The worktree holds nothing besides, not even in other bytes. */
  isAll: boolean;
}

/**
 * Stages the content of the tree as git would, attributes applied, with untracked files that no pattern excludes, and
 * returns the tree's id. A repository nested in the tree (many scaffolding tools make one) is taken as plain files: as
 * a link to a commit that exists nowhere else, its content would be lost. Links of declared submodules stay as they are.
 *
 * @throws WORK_NOT_COMMITTABLE with the files and git's reasons, when something cannot be staged
 */
export async function stageTree(workspace: Workspace, options: StageOptions): Promise<Staged> {
  const { index, from } = options;
  const read = await indexOf(workspace, { from, index });
  if (read !== null && read.exitCode !== 0) throw notCommittable([`its commits: ${lastLine(read.stderr)}`]);
  const before = await entriesOf(workspace, index);
  const walked = await lookAround(workspace, before);
  const hasDropped = from !== null && (await dropStrayLinks(workspace, { index, from }));
  const tracked = hasDropped ? await entriesOf(workspace, index) : before;
  const staged = await readAgentIndex(workspace, from);
  const alone = untouched(workspace, { walked, tracked, sparse: staged.sparse });
  await setFlag(workspace, { index, files: alone, flag: '--skip-worktree' });
  const seen = await scopesOf(workspace, { walked, tracked, forced: staged.forced, index });
  const modeOf = (file: BytePath) => fileMode(statOf(workspace, file));
  const same = await unwrittenFiles(workspace, { walked, tracked, scopes: seen, index, from, modeOf });
  const scopes = same.length === 0 ? seen : withoutChanged(seen, same);
  await setFlag(workspace, { index, files: same, flag: '--skip-worktree' });
  const nested = nestedFiles(workspace, { walked, tracked, scopes });
  const forced = [...staged.forced].filter((file) => walked.files.has(file));
  const huge = [...forced, ...scopes.others, ...scopes.changed].filter((file) => isHuge(workspace, file));
  if (huge.length > 0) throw notCommittable(huge.map((file) => `${textOf(file)}: it is larger than 2 GB`));
  const isPlain = forced.length + alone.length + nested.length === 0;
  const isAdded = isPlain && (await addListed(workspace, { index, walked, tracked, scopes }));
  if (!isAdded) await addAll(workspace, { index, walked, scopes, forced });
  await addNested(workspace, { index, nested });
  await setFlag(workspace, { index, files: [...alone, ...same], flag: '--no-skip-worktree' });
  const tree = await treeGitText(workspace, ['write-tree'], { index });
  const wanted = [...nested, ...forced, ...[...scopes.others].filter((file) => walked.files.has(file))];
  const isTaken = await taken(workspace, { index, tree, from: hasDropped ? null : from, before });
  const missing = wanted.filter((file) => !isTaken(file) && !isInNested(scopes, file));
  if (missing.length > 0) throw notCommittable(missing.map((file) => `${textOf(file)}: git did not take it`));
  const isAll =
    from !== null &&
    !hasDropped &&
    alone.length + nested.length + forced.length + staged.forced.size + staged.sparse.size === 0 &&
    holdsNothingElse(workspace, { walked, tracked, scopes });
  return { tree, isSparse: staged.sparse.size > 0, isAll };
}

function isHuge(workspace: Workspace, file: BytePath): boolean {
  const stat = statOf(workspace, file);
  return stat !== null && stat !== 'covered' && stat.isFile() && stat.size > largestCommitted;
}

/** Null: it is not there; `covered`: something else is where one of its folders was. */
function statOf(workspace: Workspace, file: BytePath): Stats | 'covered' | null {
  try {
    return lstatSync(bytesOf(`${fromText(workspace.path)}/${file}`), { throwIfNoEntry: false }) ?? null;
  } catch {
    return 'covered';
  }
}

/** Mode that git gives a plain file; null: it is none. */
function fileMode(stat: ReturnType<typeof statOf>): string | null {
  if (stat === null || stat === 'covered' || !stat.isFile()) return null;
  return (stat.mode & 0o100) === 0 ? '100644' : '100755';
}

function notCommittable(why: readonly string[]): BatonError {
  const more = why.length > mostNamed ? `; and ${why.length - mostNamed} more` : '';
  return new BatonError(
    'WORK_NOT_COMMITTABLE',
    `What the agent left cannot be committed: ${why.slice(0, mostNamed).join('; ')}${more}`,
    {
      fix: 'The next attempt is informed. The work is saved: `baton rescue` lists it.',
      details: { files: [...why].slice(0, 50) },
    },
  );
}

function lastLine(text: string): string {
  const lines = linesOf(text).filter(
    (line) => !line.startsWith('hint:') && line !== 'fatal: adding files failed',
  );
  return (lines.find((line) => /^(error|fatal)/.test(line)) ?? lines.at(-1) ?? 'no message')
    .replace(/^(error|fatal): /, '')
    .slice(0, 300);
}

/** Looks at the tree without opening anything, and takes away what git would wait for. */
async function lookAround(workspace: Workspace, tracked: ReadonlyMap<BytePath, Blob>): Promise<WalkedTree> {
  const names = [...tracked.keys()];
  const kept = keptPaths(workspace).map((file) => fromText(file.replace(/\/$/, '')));
  const skip = new Set(kept.filter((folder) => !names.some((file) => file.startsWith(`${folder}/`))));
  const walked = await walkTree(workspace.path, { skip, mayChange: true });
  const wrong = [
    ...walked.special
      .filter((file) => tracked.has(file))
      .map((file) => `${textOf(file)}: it is a named pipe, socket or device now`),
    ...walked.unreached.map(({ file, why }) => `${textOf(file)}/: ${why}`),
  ];
  if (walked.repositories.length > mostRepositories)
    wrong.push(`${walked.repositories.length} nested repositories`);
  // Taken away only when the work is taken: who salvages it tells of them.
  if (wrong.length > 0) throw notCommittable(wrong);
  await noteSpecial(workspace, walked.special);
  await removeSpecial(workspace.path, walked.special);
  return walked;
}

/** Submodules, which git is not to look into, and files that a sparse checkout took out. */
function untouched(
  workspace: Workspace,
  {
    walked,
    tracked,
    sparse,
  }: { walked: WalkedTree; tracked: ReadonlyMap<BytePath, Blob>; sparse: ReadonlySet<BytePath> },
): BytePath[] {
  const isFolder = (file: BytePath) => {
    const stat = statOf(workspace, file);
    return stat !== null && stat !== 'covered' && stat.isDirectory();
  };
  const links = [...tracked].filter(([file, { mode }]) => mode === '160000' && isFolder(file));
  const absent = [...sparse].filter(
    (file) => tracked.has(file) && !isBehindFile(walked, file) && statOf(workspace, file) === null,
  );
  return [...links.map(([file]) => file), ...absent];
}

/** Whether a file or a link is where one of its folders was: whatever is found behind a link is not of this tree. */
function isBehindFile({ files }: WalkedTree, file: BytePath): boolean {
  for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1))
    if (files.has(file.slice(0, end))) return true;
  return false;
}

async function setFlag(
  workspace: Workspace,
  { index, files, flag }: { index: string; files: readonly BytePath[]; flag: string },
): Promise<void> {
  if (files.length === 0) return;
  const stdin = files.map((file) => `${quoted(file)}\n`).join('');
  await treeGitText(workspace, ['update-index', flag, '--stdin'], { index, stdin });
}

async function scopesOf(
  workspace: Workspace,
  { index, ...options }: Parameters<typeof listScopes>[1],
): Promise<Scopes> {
  const scratch = `${index}.scopes`;
  copyIndex(index, scratch);
  try {
    return await listScopes(workspace, { ...options, index: scratch });
  } finally {
    rmSync(scratch, { force: true });
  }
}

function isInNested(scopes: Scopes, file: BytePath): boolean {
  return scopes.nested.some((root) => file.startsWith(`${root}/`));
}

/** Files of repositories nested in the tree, but not those of submodules. */
function nestedFiles(
  workspace: Workspace,
  { walked, tracked, scopes }: { walked: WalkedTree; tracked: ReadonlyMap<BytePath, Blob>; scopes: Scopes },
): BytePath[] {
  const made = new Set([...keptPaths(workspace), ...workspace.state.copied].map(fromText));
  const isLink = (root: BytePath) => tracked.get(root)?.mode === '160000';
  const roots = scopes.nested.filter((root) => !isLink(root));
  if (roots.length === 0) return [];
  return [...walked.files.keys()].filter(
    (file) => roots.some((root) => file.startsWith(`${root}/`)) && !scopes.isIgnored(file) && !made.has(file),
  );
}

async function addAll(
  workspace: Workspace,
  {
    index,
    walked,
    scopes,
    forced,
  }: { index: string; walked: WalkedTree; scopes: Scopes; forced: readonly BytePath[] },
): Promise<void> {
  const exclude = scopes.nested.map((root) => `:(exclude,literal)${root}`);
  const add = (pathspecs: readonly BytePath[], more: readonly string[] = []) =>
    treeGit(workspace, ['add', '--all', ...more, '--pathspec-from-file=-'], {
      index,
      stdin: pathspecs.map((spec) => `${quoted(spec)}\n`).join(''),
    });
  const literal = (files: readonly BytePath[]) => files.map((file) => `:(literal)${file}`);
  const all = await add(['.', ...exclude]);
  const byForce = forced.length === 0 ? null : await add(literal(forced), ['--force']);
  if (all.exitCode === 0 && (byForce === null || byForce.exitCode === 0)) return;
  const files = [...scopes.others, ...scopes.changed].filter(
    (file) => walked.files.has(file) && !isInNested(scopes, file),
  );
  const wrong: string[] = [];
  const find = async (some: readonly BytePath[]): Promise<void> => {
    if (some.length === 0 || wrong.length >= mostNamed) return;
    const tried = await add(literal(some), ['--force']);
    if (tried.exitCode === 0) return;
    if (some.length === 1) wrong.push(`${textOf(some[0] ?? '')}: ${lastLine(tried.stderr)}`);
    else {
      const half = Math.ceil(some.length / 2);
      await find(some.slice(0, half));
      await find(some.slice(half));
    }
  };
  await find([...files, ...forced]);
  if (wrong.length > 0) throw notCommittable(wrong);
  const again = await add(['.', ...exclude]);
  if (again.timedOut) throw gitFailure(['add', '--all'], again);
  if (again.exitCode !== 0) throw notCommittable([lastLine(again.stderr)]);
}

async function addNested(
  workspace: Workspace,
  { index, nested }: { index: string; nested: readonly BytePath[] },
): Promise<void> {
  if (nested.length === 0) return;
  const stored = await storeBlobs(workspace, nested, { mayChange: true });
  const wrong = stored.leftOut.map(({ file, reason, detail }) => `${file}: ${detail ?? reason}`);
  if (wrong.length > 0) throw notCommittable(wrong);
  const stdin = [...stored.blobs].map(([file, { mode, id }]) => `${mode} ${id}\t${quoted(file)}\n`).join('');
  const added = await treeGit(workspace, ['update-index', '--index-info'], { index, stdin });
  if (added.exitCode !== 0) throw notCommittable([lastLine(added.stderr)]);
}

/** Takes links to nested repositories that the agent committed out of the index, unless it declared them as submodules. */
async function dropStrayLinks(
  workspace: Workspace,
  { index, from }: { index: string; from: string },
): Promise<boolean> {
  const { startCommit } = workspace.state;
  if (startCommit === null || startCommit === from) return false;
  const links = await linksOf(workspace, from);
  if (links.size === 0) return false;
  const before = await linksOf(workspace, startCommit);
  const modules = await treeGit(workspace, ['cat-file', 'blob', `${from}:.gitmodules`]);
  const declared = modules.exitCode === 0 ? modules.stdout : '';
  const stray = [...links.keys()].filter(
    (file) => before.get(file) !== links.get(file) && !declared.includes(`path = ${textOf(file)}\n`),
  );
  if (stray.length === 0) return false;
  await treeGitText(workspace, ['update-index', '--force-remove', '--stdin'], {
    index,
    stdin: stray.map((file) => `${quoted(file)}\n`).join(''),
  });
  return true;
}

async function linksOf(workspace: Workspace, commit: string): Promise<Map<BytePath, string>> {
  const printed = await treeGitText(workspace, ['-c', 'core.quotePath=true', 'ls-tree', '-r', commit]);
  const links = new Map<BytePath, string>();
  for (const line of linesOf(printed)) {
    const [, id = '', name = ''] = /^160000 commit ([0-9a-f]+)\t(.*)$/.exec(line) ?? [];
    if (id !== '') links.set(unquoted(name), id);
  }
  return links;
}
