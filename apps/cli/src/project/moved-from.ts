import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { shellWord } from '@baton/contracts';

import { locationFile } from './known-projects.ts';

/**
 * The way back to the state of a repository that was moved: state is kept by the path, so it is of no use at another one.
 *
 * @returns a sentence that names the place with state that is not there any more, one of the same name before others; null: there is none
 */
export async function wayBack(home: string, root: string): Promise<string | null> {
  const gone = await goneLocations(home);
  const old = gone.find((one) => path.basename(one) === path.basename(root)) ?? gone[0];
  if (old === undefined) return null;
  const line = `mv ${shellWord(root)} ${shellWord(old)}`;
  return `What ran in ${old}, where nothing is any more, is kept: if that was this repository, move it back (\`${line}\`) to reach it.`;
}

/** Repositories with state that are not where they were, the last used first. */
async function goneLocations(home: string): Promise<string[]> {
  const folder = path.join(home, 'projects');
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const dir = path.join(folder, name);
      const location = await readFile(locationFile(dir), 'utf8').catch(() => null);
      const used = await stat(path.join(dir, 'logs')).catch(() => null);
      const isGone = location !== null && (await stat(location).catch(() => null)) === null;
      return isGone ? [{ location, usedMs: used?.mtimeMs ?? 0 }] : [];
    }),
  );
  return found
    .flat()
    .sort((a, b) => b.usedMs - a.usedMs)
    .map(({ location }) => location);
}
