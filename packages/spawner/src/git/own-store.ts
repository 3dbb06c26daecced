import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Settings under which git would store or read objects otherwise than usual. */
const unusual =
  /^\s*\[\s*(?:include|includeif|i18n|extensions)\b|sharedrepository|autocrlf|\beol\b|filemode\s*=\s*false/im;
const hashes: Readonly<Record<number, 'sha1' | 'sha256'>> = { 40: 'sha1', 64: 'sha256' };

/** Where objects of a repository of Baton's own are stored, and by which hash. */
export interface OwnStore {
  objects: string;
  hash: 'sha1' | 'sha256';
}

/**
 * The object folder of a bare clone of Baton's own, with git's usual settings; null for any other repository, where only git may write.
 *
 * @param options.own Folder that all of Baton's clones are in; null: there is none.
 * @param options.id Full id of an object in it.
 */
export function ownStore({ cwd, own, id }: { cwd: string; own: string | null; id: string }): OwnStore | null {
  const hash = hashes[id.length];
  if (own === null || hash === undefined || path.dirname(path.dirname(cwd)) !== own) return null;
  if (path.basename(cwd) !== 'clone.git' || !isFolder(path.join(cwd, 'objects'))) return null;
  return hasUsualSettings(cwd) ? { objects: path.join(cwd, 'objects'), hash } : null;
}

/** The hash that a clone of Baton's own uses, by its settings. */
export function hashOf(bare: string): 'sha1' | 'sha256' | null {
  try {
    const text = readFileSync(path.join(bare, 'config'), 'utf8');
    const named = /^\s*objectformat\s*=\s*(\S+)\s*$/im.exec(text)?.[1] ?? 'sha1';
    return named === 'sha1' || named === 'sha256' ? named : null;
  } catch {
    return null;
  }
}

/** Whether nothing in the settings of a clone makes git treat files or objects otherwise than usual. */
export function hasUsualSettings(bare: string): boolean {
  try {
    const text = readFileSync(path.join(bare, 'config'), 'utf8');
    const isSha256 = /^\s*objectformat\s*=\s*sha256\s*$/im.test(text);
    const rest = isSha256 ? text.replace(/^\s*\[extensions\]\s*$/im, '') : text;
    return !unusual.test(rest);
  } catch {
    return false;
  }
}

function isFolder(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
