import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '@baton/contracts';
import { attributesOf } from '../filtered-paths.ts';
import { gitText } from '../run-git.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

/** Where a git command runs, and with what variables. */
interface Place {
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/**
 * Gives `use` a place in which the attribute files of a tree decide, such as `merge=union` or `-merge`: git reads none in a bare repository.
 * It is a working tree that holds nothing else, and is gone afterwards.
 * @returns what `use` gives; null, without calling it, for a tree without attribute files
 * @throws GIT_FAILED, and what `use` throws
 */
export async function withAttributes<T>(
  { git, clone, env }: { git: Git; clone: string; env: Readonly<Record<string, string>> },
  tree: string,
  use: (place: Place) => Promise<T>,
): Promise<T | null> {
  const entries = await attributesOf({ git, repo: clone, tree, env });
  if (entries.length === 0) return null;
  const folder = await makeTemporaryFolder('baton-merge-');
  try {
    const cwd = path.join(folder, 'tree');
    await mkdir(cwd);
    const place = { cwd, env: { ...env, GIT_DIR: path.resolve(clone), GIT_WORK_TREE: cwd } };
    const own = { cwd, env: { ...place.env, GIT_INDEX_FILE: path.join(folder, 'index') } };
    const stdin = entries.map((entry) => `${entry}\n`).join('');
    await gitText(git, ['update-index', '--index-info'], { ...own, stdin });
    await gitText(git, ['checkout-index', '--all'], own);
    return await use(place);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
