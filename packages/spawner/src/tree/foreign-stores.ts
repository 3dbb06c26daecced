import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { fullDisk } from '../process/full-disk.ts';
import { behind, linkedTo, namesIn, textIn } from './plain-reads.ts';
import type { Workspace } from './workspace.ts';

/** Folder of objects outside of an agent's repository. */
export interface ForeignStore {
  /** Absolute, and there. */
  folder: string;
  /** Folder of links to the plain files of objects in it: git waits at nothing there. Null: it has too many to be linked. */
  links: string | null;
}

/** So many stores follow each other, as git has it. */
const longestChain = 5;
const mostFiles = 500_000;
const origin = 'origin';

/**
 * Links the objects of the folders outside of an agent's repository that it has its own from, but for the clone's: those that it borrows from,
 * and those that it, or a part of it, is a link to. Git is not let into these folders themselves: it would wait at a pipe without end.
 *
 * @throws WORKSPACE_FAILED when the disk is full
 */
export function linkForeignStores(workspace: Workspace): ForeignStore[] {
  const linked = linksFolder(workspace);
  const budget = { files: mostFiles };
  return foreignFolders(workspace).map((folder) => {
    // A process before this one ended while it copied them.
    if (folder.startsWith(`${linked}/`))
      return { folder: linkedTo(path.join(folder, origin)) ?? folder, links: folder };
    const links = path.join(linked, createHash('sha256').update(folder).digest('hex').slice(0, 16));
    try {
      return { folder, links: linkObjects(folder, { links, budget }) ? links : null };
    } catch (error) {
      throw fullDisk(linked, error) ?? error;
    }
  });
}

/** Removes the links to objects of other folders. */
export function dropLinks(workspace: Workspace): void {
  rmSync(linksFolder(workspace), { recursive: true, force: true });
}

const linksFolder = ({ metaDir }: Workspace): string => path.join(metaDir, 'borrowed');

function foreignFolders({ gitDir, clone }: Workspace): string[] {
  const objects = path.join(gitDir, 'objects');
  const whole = linkedTo(objects);
  // A part keeps its name elsewhere, or git finds nothing in it there.
  const parts = namesIn(objects).flatMap((name) => {
    const at = linkedTo(path.join(objects, name));
    return at !== null && path.basename(at) === name ? [path.dirname(at)] : [];
  });
  let chain = [...(whole === null ? borrowedBy(objects) : [whole]), ...parts];
  const found = new Set<string>();
  for (let length = 0; length <= longestChain && chain.length > 0; length += 1) {
    const folders = chain.filter(
      (folder) => folder !== path.join(clone.path, 'objects') && behind(folder)?.isDirectory() === true,
    );
    chain = folders.filter((folder) => !found.has(folder)).flatMap(borrowedBy);
    for (const folder of folders) found.add(folder);
  }
  return [...found];
}

/** Folders that a folder of objects names as others to look in. */
function borrowedBy(objects: string): string[] {
  return textIn(path.join(objects, 'info/alternates'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('"'))
    .map((line) => path.resolve(objects, line));
}

/** Whether all plain files of objects and packs in a folder could be linked. */
function linkObjects(
  folder: string,
  { links, budget }: { links: string; budget: { files: number } },
): boolean {
  rmSync(links, { recursive: true, force: true });
  mkdirSync(links, { recursive: true });
  symlinkSync(folder, path.join(links, origin));
  for (const part of namesIn(folder).filter((name) => name === 'pack' || /^[0-9a-f]{2}$/.test(name))) {
    const at = path.join(folder, part);
    const wanted = part === 'pack' ? /^pack-[0-9a-f]+\.(pack|idx|rev)$/ : /^[0-9a-f]{38,62}$/;
    const files = namesIn(linkedTo(at) ?? at).filter(
      (name) => wanted.test(name) && behind(path.join(at, name))?.isFile() === true,
    );
    budget.files -= files.length;
    if (budget.files < 0) return false;
    mkdirSync(path.join(links, part));
    for (const name of files) symlinkSync(path.join(at, name), path.join(links, part, name));
  }
  return true;
}
