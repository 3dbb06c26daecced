import type { CheckContext, Finding } from '../checks/check-context.ts';
import { readTreePath } from './read-tree.ts';

/** `file_not_contains`: this text is not in the file. A file that does not exist contains nothing, so it holds. */
export async function fileNotContains(
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
  if (entry.kind === 'folder') return { passed: false, reason: `${signal.path} is a folder, not a file` };
  const contains = entry.kind === 'file' && entry.text.includes(signal.text);
  const shown = JSON.stringify(signal.text.slice(0, 200));
  return {
    passed: !contains,
    reason: `${signal.path} ${contains ? 'still contains' : 'does not contain'} ${shown}`,
  };
}
