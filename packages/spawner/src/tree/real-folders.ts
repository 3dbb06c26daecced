import { lstatSync } from 'node:fs';
import { bytesOf, fromText, type BytePath } from './byte-path.ts';

/**
 * Checks whether every folder on the way to a path below `root` is a folder. Git goes through links there and opens what lies behind
 * them, also a pipe.
 */
export function isReachedIn(root: string): (file: BytePath) => boolean {
  const top = fromText(root);
  const known = new Map<BytePath, boolean>([['', true]]);
  const isReal = (folder: BytePath): boolean => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const isIt =
      isReal(parentOf(folder)) &&
      lstatSync(bytesOf(`${top}/${folder}`), { throwIfNoEntry: false })?.isDirectory() === true;
    known.set(folder, isIt);
    return isIt;
  };
  return (file) => isReal(parentOf(file));
}

function parentOf(file: BytePath): BytePath {
  return file.slice(0, Math.max(0, file.lastIndexOf('/')));
}
