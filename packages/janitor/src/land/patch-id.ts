import { createHash } from 'node:crypto';
import type { Git } from '@baton/contracts';
import { gitText } from '../run-git.ts';

/**
 * Names a change by its content, whatever its base: an approval binds to it, so a clean re-merge keeps the approval and a changed
 * patch voids it (docs/spec/landing.md#approvals). Unlike `git patch-id` it counts white space; its `--verbatim` needs git 2.39.
 * @returns 64 hex digits
 * @throws GIT_FAILED
 */
export async function patchIdOf(options: {
  git: Git;
  clone: string;
  from: string;
  to: string;
}): Promise<string> {
  const args = [
    'diff-tree',
    '-r',
    '-p',
    '--binary',
    '--full-index',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
  ];
  const diff = await gitText(options.git, [...args, options.from, options.to], { cwd: options.clone });
  // The place of the change and the hashes of whole files differ after a re-merge; what it does must not.
  const content = diff.replace(/^@@ .*$/gm, '@@').replace(/^index [0-9a-f]+\.\.[0-9a-f]+/gm, 'index');
  return createHash('sha256').update(content).digest('hex');
}
