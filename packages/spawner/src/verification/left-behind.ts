import path from 'node:path';

/** What a command wrote, by path relative to the tree. */
export interface Written {
  /** `gone`: deleted; `folder`: made, or written into; `special`: a pipe, socket or device. */
  entries: { path: string; kind: 'file' | 'folder' | 'gone' | 'special' }[];
  /** False: there was more than is listed. */
  isWhole: boolean;
}

const mostShown = 20;

/** Whether any of it may have changed a tracked file: then git compares. Pure. */
export function touchesTracked({ entries, isWhole }: Written, tracked: readonly string[]): boolean {
  if (!isWhole) return true;
  const known = new Set([...tracked, ...foldersOf(tracked)]);
  return entries.some((entry) => known.has(entry.path));
}

/** What it left beside the tracked files, folders as one, sorted; at most 20. Pure. */
export function leftBehind({ entries }: Written, tracked: readonly string[]): string[] {
  const files = new Set(tracked);
  const folders = foldersOf(tracked);
  const left = entries.filter(
    ({ path: file, kind }) => (kind === 'file' || kind === 'special') && !isTracked(file, files),
  );
  return [...new Set(left.map(({ path: file }) => topmost(file, folders)))].sort().slice(0, mostShown);
}

/** What lies below a tracked path lies in a submodule, or in a folder that took the place of a file and counts as its change. */
function isTracked(file: string, files: ReadonlySet<string>): boolean {
  if (files.has(file)) return true;
  for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1))
    if (files.has(file.slice(0, at))) return true;
  return false;
}

/** The shortest part of a path that holds no tracked file; a folder ends with a slash. */
function topmost(file: string, folders: ReadonlySet<string>): string {
  const parts = file.split('/');
  for (let count = 1; count < parts.length; count += 1) {
    const part = parts.slice(0, count).join('/');
    if (!folders.has(part)) return `${part}/`;
  }
  return file;
}

function foldersOf(files: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const file of files)
    for (
      let folder = path.dirname(file);
      folder !== '.' && !folders.has(folder);
      folder = path.dirname(folder)
    )
      folders.add(folder);
  return folders;
}
