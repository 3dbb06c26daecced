import type { Git } from '@baton/contracts';
import { gitText } from '../run-git.ts';
import { commitTree } from './commit-tree.ts';
import { listChangedPaths, type ChangedPath } from '../tamper/read-change.ts';

/**
 * The same candidate with another tree: message, author and date stay, so the same inputs give the same commit id.
 *
 * @param options.onto The head that the candidate lands on.
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
  const [
    date = '',
    name = '',
    email = '',
    made = '',
    committer = '',
    address = '',
    parents = '',
    ...message
  ] = (
    await gitText(
      git,
      ['log', '-1', '--format=%ad%n%an%n%ae%n%ct%n%cn%n%ce%n%P%n%B', '--date=raw', options.commit],
      {
        cwd,
      },
    )
  ).split('\n');
  // A base that is judged by itself lands on itself.
  const own = options.commit === onto ? [onto] : parents.split(' ');
  const by = { name, email, date };
  const author = { name: committer, email: address };
  const commit = await commitTree(
    { git, clone: cwd, author, at: new Date(Number(made) * 1000) },
    { tree, parents: own, message: `${message.join('\n').trimEnd()}\n`, by },
  );
  return { commit, tree, changes: await listChangedPaths({ git, clone: cwd, from: onto, to: commit }), onto };
}
