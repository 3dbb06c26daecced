import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';

const largestBytes = 20 * 1024 * 1024;

/**
 * Text of a file that a command wrote. No link is followed on the way to it, so that nothing outside of the tree is read.
 *
 * @param top Absolute folder.
 * @param options.since A file that was made before the command: one that was not changed since then was not written by it.
 * @returns null where there is no such file, or it is larger than 20 MB
 */
export function writtenText(top: string, { file, since }: { file: string; since?: string }): string | null {
  const parts = file.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0 || parts.includes('..')) return null;
  const folders = parts.slice(0, -1).map((_, at) => path.join(top, ...parts.slice(0, at + 1)));
  if (!folders.every((folder) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true))
    return null;
  const place = path.join(top, ...parts);
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size > largestBytes) return null;
  if (since !== undefined && stat.ctimeMs < lstatSync(since).ctimeMs) return null;
  try {
    return readFileSync(place, 'utf8');
  } catch {
    return null;
  }
}
