import type { CheckContext, Finding } from '../checks/check-context.ts';
import { readTreePath } from './read-tree.ts';

/** `file_contains`: the file exists in the tree and has this text in it. */
export async function fileContains(
  context: CheckContext,
  signal: { path: string; text: string },
): Promise<Finding> {
  const entry = await readTreePath(context.git, {
    cwd: context.repo,
    tree: context.tree,
    path: signal.path,
    content: true,
  });
  if (entry.kind === 'outside')
    return { passed: false, reason: `${signal.path} leads outside the repository` };
  if (entry.kind !== 'file')
    return { passed: false, reason: `${signal.path} is not a file in what would land` };
  const passed = entry.text.includes(signal.text);
  return {
    passed,
    reason: `${signal.path} ${passed ? 'contains' : 'does not contain'} ${JSON.stringify(signal.text.slice(0, 200))}`,
  };
}
