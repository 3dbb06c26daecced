import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fromText, linesOf, quoted, type BytePath } from '../tree/byte-path.ts';
import type { WalkedTree } from '../tree/walk-tree.ts';
import { treeGit, treeGitText, type Workspace } from '../tree/workspace.ts';
import { isAttributes, mayBeConverted } from './converted.ts';
import type { Scopes } from './ignored.ts';
import type { Blob } from './store-blobs.ts';

/**
 * Files that git calls changed and that have the very bytes, and the mode, of a checkout: content that was committed in another form than
 * attributes ask for (line ends, encoding, `$Id$`) looks like an edit to git, and no agent wrote it. None where attributes were changed as
 * well: then git converts all, as the author may have meant.
 *
 * @param options.index Index that holds what `from` holds.
 */
export async function unwrittenFiles(
  workspace: Workspace,
  options: {
    walked: WalkedTree;
    tracked: ReadonlyMap<BytePath, Blob>;
    scopes: Scopes;
    index: string;
    from: string | null;
    modeOf: (file: BytePath) => string | null;
  },
): Promise<BytePath[]> {
  const { walked, tracked, scopes, index, from, modeOf } = options;
  const isConverted = mayBeConverted(workspace, walked.files.keys());
  const differing = [...scopes.changed, ...scopes.others];
  if (
    differing.some(isAttributes) ||
    [...tracked.keys()].some((file) => isAttributes(file) && scopes.isGone(file))
  )
    return [];
  const names = [...scopes.changed].filter(
    (file) =>
      walked.files.get(file) === 'file' && tracked.get(file)?.mode === modeOf(file) && isConverted(file),
  );
  if (names.length === 0 || (await hasOtherAttributes(workspace, from))) return [];
  const scratch = path.join(workspace.metaDir, 'unwritten');
  await rm(scratch, { recursive: true, force: true });
  try {
    await mkdir(scratch, { recursive: true });
    const stdin = lines(names);
    const out = ['checkout-index', '--quiet', `--prefix=${scratch}/`, '--stdin'];
    if ((await treeGit(workspace, out, { index, stdin })).exitCode !== 0) return [];
    const [here, there] = await Promise.all([
      rawIds(workspace, names),
      rawIds(
        workspace,
        names.map((file) => `${fromText(scratch)}/${file}`),
      ),
    ]);
    return here === null || there === null ? [] : names.filter((_, at) => here[at] === there[at]);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const lines = (names: readonly BytePath[]): string => names.map((name) => `${quoted(name)}\n`).join('');

/** Ids of the bytes of files, whatever attributes say; null: not all can be read. */
async function rawIds(workspace: Workspace, names: readonly BytePath[]): Promise<string[] | null> {
  const args = ['hash-object', '--no-filters', '--stdin-paths'];
  const hashed = await treeGit(workspace, args, { stdin: lines(names) });
  const ids = linesOf(hashed.stdout);
  return hashed.exitCode === 0 && ids.length === names.length ? ids : null;
}

/** Whether the agent committed other attributes than it began with. */
async function hasOtherAttributes(workspace: Workspace, from: string | null): Promise<boolean> {
  const { startCommit } = workspace.state;
  if (from === null || startCommit === null || from === startCommit) return false;
  const all = ':(top,glob)**/.gitattributes';
  const args = ['diff-tree', '-r', '--name-only', startCommit, from, '--', all];
  return (await treeGitText(workspace, args)) !== '';
}
