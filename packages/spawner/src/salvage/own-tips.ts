import { gitText } from '../git/git.ts';
import { ownRef, type AttemptKey } from '../tree/clone.ts';
import type { Workspace } from '../tree/workspace.ts';

const mostParents = 1_000;

/** Makes `refs/baton/own/<task>/<fence>` lead to commits of the clone, besides what it leads to already; gives the ref. */
export async function keepTips(
  { clone }: Workspace,
  { attempt, tips }: { attempt: AttemptKey; tips: readonly string[] },
): Promise<string> {
  const ref = ownRef(attempt);
  const at = { cwd: clone.path };
  const tree = await gitText(clone.git, ['mktree'], { ...at, stdin: '' });
  let head = await clone.resolve(ref);
  for (let start = 0; start < tips.length; start += mostParents) {
    const parents = [...(head === null ? [] : [head]), ...tips.slice(start, start + mostParents)];
    const message = `Own commits of task ${attempt.taskId}, fence ${attempt.fence}\n\nTask-Id: ${attempt.taskId}\n`;
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
    head = await gitText(clone.git, args, { ...at, stdin: message });
  }
  await gitText(clone.git, ['update-ref', ref, head ?? ''], at);
  return ref;
}
