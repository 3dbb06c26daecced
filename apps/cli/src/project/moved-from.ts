import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { shellWord, type Git } from '@baton/contracts';

import { locationFile } from './known-projects.ts';

/** So many places that are gone are looked at, and so many commits of each. */
const mostLooks = 20;

/**
 * The way back to the state of a repository that was moved: state is kept by the path, so it is of no use at another one.
 *
 * @returns a sentence that names the place with state of this history that is not there any more; null: there is none
 */
export async function wayBack(
  home: string,
  { root, git }: { root: string; git: Git },
): Promise<string | null> {
  for (const { location, dir } of (await goneLocations(home)).slice(0, mostLooks)) {
    if (!(await hasWorkOf(dir, { root, git }))) continue;
    const parent = path.dirname(location);
    const move = `mv ${shellWord(root)} ${shellWord(location)}`;
    const line = existsSync(parent) ? move : `mkdir -p ${shellWord(parent)} && ${move}`;
    return `What ran in ${location}, where nothing is any more, is kept: if that was this repository, move it back (\`${line}\`) to reach it.`;
  }
  return null;
}

/** Repositories with state that are not where they were, the last used first. */
async function goneLocations(home: string): Promise<{ location: string; dir: string }[]> {
  const folder = path.join(home, 'projects');
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const dir = path.join(folder, name);
      const location = await readFile(locationFile(dir), 'utf8').catch(() => null);
      const used = await stat(path.join(dir, 'logs')).catch(() => null);
      return location === null || existsSync(location) ? [] : [{ location, dir, usedMs: used?.mtimeMs ?? 0 }];
    }),
  );
  return found.flat().sort((a, b) => b.usedMs - a.usedMs);
}

/** Whether a state folder is of the same history: its clone has the head of the repository, or the repository has what agents began on. */
async function hasWorkOf(dir: string, { root, git }: { root: string; git: Git }): Promise<boolean> {
  const repos = path.join(dir, 'repos');
  const said = async (args: readonly string[], options: { cwd: string; stdin?: string }): Promise<string> =>
    (await git(args, options)).stdout;
  const has = async (cwd: string, ids: string): Promise<boolean> =>
    / commit \d+$/m.test(await said(['cat-file', '--batch-check'], { cwd, stdin: ids }));
  const head = await said(['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd: root });
  for (const name of await readdir(repos).catch(() => [])) {
    const clone = path.join(repos, name, 'clone.git');
    if (!existsSync(clone)) continue;
    const begun = [
      'for-each-ref',
      `--count=${mostLooks}`,
      '--sort=-creatordate',
      '--format=%(parent)',
      'refs/baton',
    ];
    const starts = (await said(begun, { cwd: clone })).split(/\s+/).filter((id) => id !== '');
    if ((await has(clone, head)) || (await has(root, `${starts.join('\n')}\n`))) return true;
  }
  return false;
}
