import { fields, gitText } from '../run-git.ts';
import type { CheckContext, Finding } from './check-context.ts';

/** Biggest file that a change may add, unless told otherwise: what common hosts begin to warn at is ten times this. */
export const defaultMaxFileBytes = 5 * 1024 * 1024;

/** No file that the change adds or alters is bigger than `maxBytes`. */
export async function noLargeFiles(context: CheckContext, options: { maxBytes: number }): Promise<Finding> {
  const raw = fields(
    await gitText(
      context.git,
      [
        'diff-tree',
        '-r',
        '-z',
        '--raw',
        '--no-renames',
        '--no-abbrev',
        '--diff-filter=AMT',
        context.baseCommit,
        context.candidateCommit,
      ],
      { cwd: context.worktree },
    ),
  );
  const ids = raw.filter((_, at) => at % 2 === 0).map((entry) => entry.split(' ')[3] ?? '');
  const paths = raw.filter((_, at) => at % 2 === 1);
  if (ids.length === 0) return { passed: true, reason: 'no file added or altered' };
  const sizes = await gitText(context.git, ['cat-file', '--batch-check=%(objecttype) %(objectsize)'], {
    cwd: context.worktree,
    stdin: `${ids.join('\n')}\n`,
  });
  const large = sizes.split('\n').flatMap((line, at) => {
    const [type, size] = line.split(' ');
    return type === 'blob' && Number(size) > options.maxBytes
      ? [`${paths[at]} (${(Number(size) / 1_048_576).toFixed(1)} MB)`]
      : [];
  });
  const limit = `${(options.maxBytes / 1_048_576).toFixed(1)} MB`;
  if (large.length === 0) return { passed: true, reason: `no file above ${limit}` };
  return { passed: false, reason: `files above ${limit}: ${large.slice(0, 10).join(', ')}` };
}
