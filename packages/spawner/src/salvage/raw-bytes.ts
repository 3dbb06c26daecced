import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fromText, linesOf, quoted, unquoted, type BytePath } from '../tree/byte-path.ts';
import type { Blob } from './store-blobs.ts';
import { indexFile, treeGit, type Workspace } from '../tree/workspace.ts';

const mostCompared = 10_000;

/**
 * Lists the files whose bytes may differ from those that `from` holds although git calls them equal, because attributes
 * (line ends, encoding, `$Id$`) have them converted: what was written since git last looked, and what this attempt
 * committed. Where that cannot be determined, all may be.
 *
 * @param options.index Index that holds what `from` holds, with what is known of the files.
 */
export async function touchedFiles(
  workspace: Workspace,
  { from, index }: { from: string | null; index: string },
): Promise<(file: BytePath) => boolean> {
  const names = ['-c', 'core.quotePath=true'];
  const { startCommit } = workspace.state;
  const asked = [treeGit(workspace, [...names, 'diff-files', '--name-only'], { index })];
  if (from !== null && existsSync(indexFile(workspace))) {
    const cached = ['diff-index', '--cached', '--name-only', '--no-renames', from, '--'];
    asked.push(treeGit(workspace, [...names, ...cached], { index: indexFile(workspace) }));
  }
  if (from !== null && startCommit !== null && startCommit !== from) {
    const range = ['diff-tree', '-r', '--name-only', '--no-renames', startCommit, from, '--'];
    asked.push(treeGit(workspace, [...names, ...range], { index }));
  }
  const told = await Promise.all(asked);
  if (told.some(({ exitCode, truncated }) => exitCode !== 0 || truncated)) return () => true;
  const touched = new Set(told.flatMap(({ stdout }) => linesOf(stdout).map(unquoted)));
  return (file) => touched.has(file);
}

/** Files that git calls equal to what is tracked, and whose bytes are not; with the id of these bytes. */
export function normalisedOf({
  tracked,
  stored,
  isChanged,
}: {
  tracked: ReadonlyMap<BytePath, Blob>;
  stored: ReadonlyMap<BytePath, Blob>;
  isChanged: (file: BytePath) => boolean;
}): Map<BytePath, string> {
  const differs = ([file, { id }]: [BytePath, Blob]) =>
    tracked.has(file) && tracked.get(file)?.id !== id && !isChanged(file);
  return new Map([...stored].filter(differs).map(([file, { id }]) => [file, id]));
}

/** Whether what an index holds is checked out by those who want these files back, and that writes exactly these bytes. */
export async function comesBack(
  workspace: Workspace,
  {
    files,
    index,
    isCheckedOut,
  }: { files: ReadonlyMap<BytePath, string>; index: string; isCheckedOut: () => Promise<boolean> },
): Promise<boolean> {
  if (files.size === 0) return true;
  if (files.size > mostCompared || !(await isCheckedOut())) return false;
  const scratch = path.join(workspace.metaDir, 'checked-out');
  await rm(scratch, { recursive: true, force: true });
  try {
    await mkdir(scratch, { recursive: true });
    const names = [...files.keys()];
    const stdin = names.map((file) => `${quoted(file)}\n`).join('');
    const out = ['checkout-index', '--quiet', `--prefix=${scratch}/`, '--stdin'];
    if ((await treeGit(workspace, out, { index, stdin })).exitCode !== 0) return false;
    const written = names.map((file) => `${quoted(`${fromText(scratch)}/${file}`)}\n`).join('');
    const ids = await treeGit(workspace, ['hash-object', '--no-filters', '--stdin-paths'], {
      stdin: written,
    });
    const found = linesOf(ids.stdout);
    return ids.exitCode === 0 && names.every((file, at) => files.get(file) === found[at]);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
