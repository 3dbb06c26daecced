import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckPlace, Exec, Git } from '@baton/contracts';
import { fields, gitLine, gitText } from '../run-git.ts';

/**
 * A worktree of the caller's as a place for checks: tracked files are put back before each command and compared after it, with an index
 * of its own, so that no flag in the worktree's hides a change. What commands leave beside tracked files stays: for more, pass a place.
 */
export function plainPlace(options: { exec: Exec; git: Git; worktree: string; commit: string }): CheckPlace {
  const { exec, git, worktree: cwd, commit } = options;
  let used = false;
  return {
    commit,
    async run(argv, { keepTree: _, keepFile, ...rest }) {
      if (used) await gitText(git, ['reset', '--quiet', '--hard', commit], { cwd });
      used = true;
      if (keepFile !== undefined) await rm(join(cwd, keepFile), { force: true, recursive: true });
      const ended = await exec(argv, { ...rest, cwd });
      if (ended.aborted) return { ...ended, changed: [], left: [], tree: null };
      const folder = await gitLine(git, ['rev-parse', '--absolute-git-dir'], { cwd });
      const env = { GIT_INDEX_FILE: join(folder, 'baton-check-index') };
      await gitText(git, ['read-tree', '--reset', commit], { cwd, env });
      const args = ['diff', '--name-only', '-z', '--no-ext-diff', '--no-renames', '--ignore-submodules=all'];
      const changed = fields(await gitText(git, args, { cwd, env })).sort();
      const kept =
        keepFile === undefined ? null : await readFile(join(cwd, keepFile), 'utf8').catch(() => null);
      return { ...ended, changed, left: [], tree: null, kept };
    },
  };
}
