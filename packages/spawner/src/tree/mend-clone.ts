import { lstatSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { BatonError, shellWord } from '@baton/contracts';

/**
 * Removes files of a clone of Baton's that a power cut left empty: no object and no ref is. Git neither replaces nor passes over them, and
 * brings what they stand for once they are gone. Locks and drafts of a git that is at work stay.
 *
 * @param bare Absolute path of the clone.
 * @returns how many were removed
 */
export function removeEmptied(bare: string): number {
  const objects = namesIn(path.join(bare, 'objects')).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const folders = [path.join(bare, 'refs'), ...objects.map((name) => path.join(bare, 'objects', name))];
  let removed = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of namesIn(folder)) {
      const place = path.join(folder, name);
      const found = lstatSync(place, { throwIfNoEntry: false });
      if (found?.isDirectory() === true) folders.push(place);
      if (found?.isFile() !== true || found.size > 0 || /\.lock$|^tmp_/.test(name)) continue;
      rmSync(place, { force: true });
      removed += 1;
    }
  }
  return removed;
}

/** How git says that it cannot read what it has itself. */
export const saysDamage =
  /bad object|not our ref|is (empty|corrupt)|cannot read existing object|unable to (read|unpack)|inflate|packfile .* (cannot|is)|bad (tree|signature)/i;

/** A clone of Baton's that cannot be read although the repository can: the next use makes another once it is out of the way. */
export function damagedClone({ bare, location }: { bare: string; location: string }): BatonError {
  const folder = path.dirname(bare);
  return new BatonError(
    'REPO_INCOMPLETE',
    `Baton's clone of ${location} is damaged: git cannot read all that it holds, and could not bring it again.`,
    {
      fix: `Set the clone aside, with all that it keeps: \`mv ${shellWord(folder)} ${shellWord(`${folder}-damaged`)}\``,
      at: bare,
    },
  );
}

function namesIn(folder: string): string[] {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : [];
}
