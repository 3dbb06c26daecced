import { access, constants, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

import { BatonError, shellWord } from '@baton/contracts';

import { tryWriting } from './try-writing.ts';

/** Where git makes something when work lands, below its folder; those that are there. */
const written = [
  '',
  'objects',
  'refs',
  'refs/heads',
  'refs/heads/baton',
  'refs/baton',
  'refs/baton/lane',
  'logs',
];

/**
 * Refuses a repository that cannot be written before anything begins: a landing would fail at the end of the work.
 *
 * @param options.gitDir the common git folder
 * @param options.also further folders, such as a working tree that files are written to
 * @throws REPO_UNWRITABLE naming the folder
 */
export async function requireWritable({
  gitDir,
  also = [],
}: {
  gitDir: string;
  also?: readonly string[];
}): Promise<void> {
  for (const folder of [...written.map((name) => path.join(gitDir, name)), ...also]) {
    const code = await tryWriting(folder);
    if (code !== null && (await isThere(folder))) throw unwritable(folder, { gitDir, code });
  }
  const shut = await shutObjects(path.join(gitDir, 'objects'));
  if (shut !== null) throw unwritable(shut, { gitDir, code: 'EACCES' });
}

/** A folder of objects that this user may not write to, as a git of another user left it; null: there is none. */
async function shutObjects(objects: string): Promise<string | null> {
  const names = (await readdir(objects).catch(() => [])).filter((name) =>
    /^([0-9a-f]{2}|pack|info)$/.test(name),
  );
  const looks = names.map(async (name) => {
    const folder = path.join(objects, name);
    return access(folder, constants.W_OK | constants.X_OK).then(
      () => null,
      () => folder,
    );
  });
  const shut = (await Promise.all(looks)).filter((folder) => folder !== null);
  const found = shut[0];
  return found !== undefined && (await stat(found).catch(() => null))?.isDirectory() === true ? found : null;
}

/** A branch may have the name of a folder of branches, and some file systems say of a new folder that there is no such thing. */
const isThere = (folder: string): Promise<boolean> =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );

function unwritable(folder: string, { gitDir, code }: { gitDir: string; code: string }): BatonError {
  return new BatonError('REPO_UNWRITABLE', `Git cannot write to ${folder} (${code}).`, {
    at: folder,
    fix: wayOut(folder, { gitDir, code }),
  });
}

function wayOut(folder: string, { gitDir, code }: { gitDir: string; code: string }): string {
  if (code === 'EROFS')
    return 'It is mounted for reading only: mount it for writing, or make a clone where files can be written and run Baton there.';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'There is no room left: free some on that disk.';
  const inside = folder === gitDir || folder.startsWith(gitDir + path.sep);
  return `Give this user the right to write there, e.g. with \`sudo chown -R "$(id -un)" ${shellWord(inside ? gitDir : folder)}\`; or run Baton as the owner.`;
}
