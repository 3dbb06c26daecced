import type { Git } from '@baton/contracts';
import { gitLine, gitText } from '../run-git.ts';
import { authorEnv } from './candidate.ts';
import { listChangedPaths, type ChangedPath } from '../tamper/read-change.ts';

/**
 * The same candidate with another tree: message, author and date stay, so the same inputs give the same commit id.
 *
 * @param options.onto The candidate's parent: the head that it lands on.
 * @throws GIT_FAILED
 */
export async function rewriteCandidate(options: {
  git: Git;
  clone: string;
  commit: string;
  tree: string;
  onto: string;
}): Promise<{ commit: string; tree: string; changes: ChangedPath[]; onto: string }> {
  const { git, clone: cwd, tree, onto } = options;
  const [date = '', name = '', email = '', ...message] = (
    await gitText(git, ['log', '-1', '--format=%at%n%an%n%ae%n%B', options.commit], { cwd })
  ).split('\n');
  const at = `@${date} +0000`;
  const commit = await gitLine(git, ['commit-tree', tree, '-p', onto, '-F', '-'], {
    cwd,
    stdin: `${message.join('\n').trimEnd()}\n`,
    env: { ...authorEnv({ name, email }), GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at },
  });
  return { commit, tree, changes: await listChangedPaths({ git, clone: cwd, from: onto, to: commit }), onto };
}
