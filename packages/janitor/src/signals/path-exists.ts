import type { CheckContext, Finding } from '../checks/check-context.ts';
import { readTreePath } from './read-tree.ts';

/** `path_exists`: the tree has this file or folder. */
export async function pathExists(context: CheckContext, signal: { path: string }): Promise<Finding> {
  const entry = await readTreePath(context.git, {
    cwd: context.repo,
    tree: context.tree,
    path: signal.path,
    content: false,
  });
  if (entry.kind === 'outside')
    return { passed: false, reason: `${signal.path} leads outside the repository` };
  if (entry.kind === 'missing')
    return { passed: false, reason: `${signal.path} does not exist in what would land` };
  return { passed: true, reason: `${signal.path} exists` };
}
