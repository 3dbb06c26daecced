import { lstatSync, rmSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { bytesOf, fromText, linesOf, unquoted, type BytePath } from './byte-path.ts';
import { treeGit, type Workspace } from './workspace.ts';

/** What git opens in any folder that it writes to. */
const opened = ['.gitattributes', '.gitignore', '.gitmodules'];
/** Folders that are looked at between two turns of the event loop. */
const atOnce = 1_000;

/**
 * Removes pipes, sockets and devices that lie where git reads its own settings while it sets a tree to a commit: it would wait there
 * for a writer that never comes.
 */
export async function clearWaits(workspace: Workspace, commit: string): Promise<void> {
  const top = fromText(workspace.path);
  let seen = 0;
  for (const folder of await foldersOf(workspace, commit)) {
    for (const name of opened) {
      const file = bytesOf(folder === '' ? `${top}/${name}` : `${top}/${folder}/${name}`);
      if (isSpecial(file)) rmSync(file, { force: true });
    }
    if ((seen += 1) % atOnce === 0) await breathe();
  }
}

async function foldersOf(workspace: Workspace, commit: string): Promise<BytePath[]> {
  const list = ['-c', 'core.quotePath=true', 'ls-tree', '-r', '-d', '--full-tree', '--name-only', commit];
  const listed = await treeGit(workspace, list);
  return ['', ...linesOf(listed.stdout).map(unquoted)];
}

/** A folder on the way may be none: then git makes one, and nothing lies in it. */
function isSpecial(file: Buffer): boolean {
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    return stat !== undefined && !stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink();
  } catch {
    return false;
  }
}
