import { lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import { linkedTo, namesIn, textIn } from './plain-reads.ts';
import type { Workspace } from './workspace.ts';

/** Folder of objects outside of an agent's repository. */
export interface ForeignStore {
  /** Absolute, and there. */
  folder: string;
  /** Why git is not let in: it would wait at what lies there, or the folder is too large to be looked through. Null: it is let in. */
  closed: string | null;
}

/** So many stores follow each other, as git has it. */
const longestChain = 5;
const mostEntries = 200_000;

/**
 * Folders of objects outside of an agent's repository that it has its own from, but for the clone's: those that it borrows from, and those
 * that it, or a part of it, is a link to.
 */
export function foreignStores({ gitDir, clone }: Workspace): ForeignStore[] {
  const objects = path.join(gitDir, 'objects');
  const whole = linkedTo(objects);
  const borrowed = borrowedBy(whole ?? objects);
  // A part keeps its name elsewhere, or git finds nothing in it there.
  const parts = namesIn(objects).flatMap((name) => {
    const at = linkedTo(path.join(objects, name));
    return at !== null && path.basename(at) === name ? [path.dirname(at)] : [];
  });
  const budget = { entries: mostEntries };
  return [...new Set([...(whole === null ? [] : [whole]), ...parts, ...borrowed])]
    .filter((folder) => folder !== path.join(clone.path, 'objects'))
    .filter((folder) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true)
    .map((folder) => ({ folder, closed: closedFor(folder, budget) }));
}

/** Folders that a folder of objects names as others to look in. */
function borrowedBy(objects: string): string[] {
  return textIn(path.join(objects, 'info/alternates'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('"'))
    .map((line) => path.resolve(objects, line));
}

/** What git would wait at in a folder of objects, or in those that it leads to. */
function closedFor(store: string, budget: { entries: number }): string | null {
  let chain = [store];
  for (let length = 0; length <= longestChain && chain.length > 0; length += 1) {
    for (const folder of chain.flatMap((objects) => foldersIn(objects)))
      for (const name of namesIn(folder)) {
        budget.entries -= 1;
        if (budget.entries < 0) return `${store} is too large to be looked through`;
        const place = path.join(folder, name);
        if (isOpenedInVain(place)) return `${place} is a pipe, a socket or a device`;
      }
    chain = chain.flatMap((objects) => borrowedBy(objects));
  }
  return null;
}

/** A folder of objects and those in it. */
function foldersIn(objects: string): string[] {
  const inner = namesIn(objects).map(
    (name) => linkedTo(path.join(objects, name)) ?? path.join(objects, name),
  );
  return [objects, ...inner.filter((place) => lstatSync(place, { throwIfNoEntry: false })?.isDirectory())];
}

function isOpenedInVain(place: string): boolean {
  try {
    const at = statSync(place);
    return !at.isFile() && !at.isDirectory();
  } catch {
    return false;
  }
}
