import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { Git } from '@baton/contracts';

const noteIn = (root: string): string => path.join(root, '.git', 'baton-demo-left');

/** A demonstration: absolute paths of its repository and of the folder of its logs. */
export interface DemoPlace {
  root: string;
  logsDir: string;
}

/**
 * What a person can change in a demonstration, as one text: refs and worktrees, files that are changed, added, ignored or hidden from the
 * status, and commits that are in no ref any more. `own` leaves out what the run itself makes. Null: it cannot be read.
 */
export async function demoState(
  git: Git,
  { root, logsDir }: DemoPlace,
  { own }: { own: boolean },
): Promise<string | null> {
  const hash = createHash('sha256');
  const refs = ['refs/tags', 'refs/stash', ...(own ? ['refs/heads/main'] : ['refs/heads'])];
  for (const args of [
    ['for-each-ref', '--format=%(objectname) %(refname)', ...refs],
    ['status', '--porcelain=v2', '--untracked-files=all', '--ignored=traditional', '-z'],
    ['ls-files', '-v', '-z'],
  ]) {
    const { exitCode, stdout } = await git(args, { cwd: root });
    if (exitCode !== 0) return null;
    hash.update(`${stdout}\n`);
  }
  const folders = [path.join(root, '.git', 'worktrees'), ...(own ? [] : [logsDir])];
  for (const folder of folders) hash.update(`${(await readdir(folder).catch(() => [])).sort().join('\0')}\n`);
  hash.update(await readFile(path.join(root, '.git', 'logs', 'HEAD')).catch(() => ''));
  return hash.digest('hex');
}

/**
 * Notes how a demonstration left its repository, unless somebody worked there before it ended. What was not noted counts as changed.
 *
 * @param made.asMade its own state when it was made
 */
export async function noteLeft(git: Git, made: DemoPlace & { asMade: string | null }): Promise<void> {
  if (made.asMade === null || made.asMade !== (await demoState(git, made, { own: true }))) return;
  const left = await demoState(git, made, { own: false });
  if (left !== null) await writeFile(noteIn(made.root), left);
}

/** Whether the repository is still as its demonstration left it. What cannot be read counts as changed. */
export async function isLeftAsIs(git: Git, place: DemoPlace): Promise<boolean> {
  const noted = await readFile(noteIn(place.root), 'utf8').catch(() => null);
  return noted !== null && noted === (await demoState(git, place, { own: false }).catch(() => null));
}
