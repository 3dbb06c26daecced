import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/contracts';

/**
 * The real path of a file within a folder, whether it exists or not: symbolic links are followed, and one that leads out is
 * refused, as is the folder's own `.git`.
 *
 * @throws PATH_OUTSIDE
 */
export function insidePath(root: string, file: string): string {
  const base = realpathSync(root);
  const wanted = path.resolve(base, file);
  const real = realOf(wanted);
  const relative = real === null ? '..' : path.relative(base, real);
  const [first = ''] = relative.split(path.sep);
  if (real !== null && first !== '..' && !path.isAbsolute(relative) && first.toLowerCase() !== '.git')
    return real;
  throw new BatonError('PATH_OUTSIDE', `${file} is not a file of the workspace.`, {
    fix: 'Name a path relative to the workspace, outside of .git.',
  });
}

/** Null: a link on the way leads nowhere, so that writing through it could end anywhere. */
function realOf(wanted: string): string | null {
  const rest: string[] = [];
  let existing = wanted;
  while (lstatSync(existing, { throwIfNoEntry: false }) === undefined) {
    rest.unshift(path.basename(existing));
    existing = path.dirname(existing);
  }
  try {
    return path.join(realpathSync(existing), ...rest);
  } catch {
    return null;
  }
}
