import { lstatSync, readFileSync, readdirSync, realpathSync, statSync, type Stats } from 'node:fs';

/** Where a link leads; null: it is none, or leads nowhere. */
export function linkedTo(file: string): string | null {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return null;
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}

const mostText = 1024 * 1024;

/** Text of a plain file; a pipe is not opened, and what is larger than 1 MiB is not read. */
export function textIn(file: string): string {
  try {
    const at = lstatSync(file);
    return at.isFile() && at.size <= mostText ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}

/** Names in a folder; none of what is no folder, or cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

/** What a path leads to, through links; null: nothing, or nothing that can be reached. */
export function behind(file: string): Stats | null {
  try {
    return statSync(file);
  } catch {
    return null;
  }
}
