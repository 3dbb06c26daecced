import { lstatSync, rmSync, unlinkSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { bytesOf, fromText, linesOf, unquoted, type BytePath } from './byte-path.ts';
import type { Workspace } from './workspace.ts';

/** What git opens in any folder that it writes to. */
const opened = ['.gitattributes', '.gitignore', '.gitmodules'];
/** Folders that are looked at between two turns of the event loop. */
const atOnce = 1_000;

/** @throws ENAMETOOLONG; whatever else is in the way of looking at the place says nothing here */
function refuseTooLong(place: Buffer): void {
  try {
    lstatSync(place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') throw error;
  }
}

/**
 * Removes pipes, sockets and devices that lie where git reads its own settings while it sets a tree to a commit: it would wait there
 * for a writer that never comes. A link in place of a folder goes as a link, since git may read what lies behind it.
 *
 * @throws ENAMETOOLONG when a folder of the commit has a path, with that of the tree, that cannot be looked at
 * @returns Folders of the commit that are in the tree, the top as ''; what is in a submodule is not the commit's.
 */
export async function clearWaits(workspace: Workspace, commit: string): Promise<BytePath[]> {
  const top = fromText(workspace.path);
  const entered = new Set<BytePath>(['']);
  let seen = 0;
  const folders = await foldersOf(workspace, commit);
  const longest = folders.reduce((most, { folder }) => (folder.length > most.length ? folder : most), '');
  // Git goes from folder to folder; everybody else looks at whole paths.
  refuseTooLong(bytesOf(`${top}/${longest}/.gitattributes`));
  for (const { folder, isSubmodule } of folders) {
    if (!entered.has(folder.slice(0, Math.max(0, folder.lastIndexOf('/'))))) continue;
    if (folder !== '' && !enter(bytesOf(`${top}/${folder}`))) continue;
    if (isSubmodule) continue;
    entered.add(folder);
    for (const name of opened) {
      const file = bytesOf(folder === '' ? `${top}/${name}` : `${top}/${folder}/${name}`);
      if (isSpecial(file)) rmSync(file, { force: true });
    }
    if ((seen += 1) % atOnce === 0) await breathe();
  }
  return [...entered];
}

/** A folder comes before those in it. */
async function foldersOf(
  workspace: Workspace,
  commit: string,
): Promise<{ folder: BytePath; isSubmodule: boolean }[]> {
  const list = ['-c', 'core.quotePath=true', 'ls-tree', '-r', '-d', '--full-tree', commit];
  const { git, path: bare } = workspace.clone;
  const listed = await git(list, { cwd: bare });
  const folders = linesOf(listed.stdout).map((line) => {
    const [, kind = '', name = ''] = /^\d+ (\w+) [0-9a-f]+\t(.*)$/.exec(line) ?? [];
    return { folder: unquoted(name), isSubmodule: kind === 'commit' };
  });
  return [{ folder: '', isSubmodule: false }, ...folders];
}

function enter(folder: Buffer): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() === true) unlinkSync(folder);
  return stat?.isDirectory() === true;
}

function isSpecial(file: Buffer): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink();
}
