import picomatch from 'picomatch';
import type { CheckContext, Finding } from '../checks/check-context.ts';
import { fields, gitText } from '../run-git.ts';

/** `glob_exists`: at least one file of the tree matches. `**` crosses folders, dot files match. */
export async function globExists(context: CheckContext, signal: { pattern: string }): Promise<Finding> {
  const pattern = signal.pattern.replace(/^(\.\/)+/, '');
  const { base } = picomatch.scan(pattern);
  // Only the part below the pattern's fixed folder is listed: a whole big tree would not fit into the output limit.
  const below = base === '' || base === '.' ? [] : ['--', base === pattern ? base : `${base}/`];
  const listed = await gitText(
    context.git,
    ['ls-tree', '-r', '-z', '--name-only', '--full-tree', context.tree, ...below],
    {
      cwd: context.repo,
    },
  );
  const matches = picomatch(pattern, { dot: true });
  const found = fields(listed).find((path) => matches(path));
  if (found === undefined)
    return { passed: false, reason: `no file matches ${signal.pattern} in what would land` };
  return { passed: true, reason: `${found} matches ${signal.pattern}` };
}
