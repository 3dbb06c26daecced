import { gitText } from '../run-git.ts';
import { listChangedPaths } from '../tamper/read-change.ts';
import type { CheckContext, Finding } from './check-context.ts';

/** Biggest file that a change may add, unless told otherwise: what common hosts begin to warn at is ten times this. */
export const defaultMaxFileBytes = 5 * 1024 * 1024;

/** Git's mode of a link to another repository's commit: it has no size here. */
const submodule = '160000';

/** No file that the change adds or alters is bigger than `maxBytes`. */
export async function noLargeFiles(context: CheckContext, options: { maxBytes: number }): Promise<Finding> {
  const { git, repo, baseCommit: from, candidateCommit: to } = context;
  const changes = context.changes ?? (await listChangedPaths({ git, clone: repo, from, to }));
  const files = changes.filter(({ status, mode }) => status !== 'deleted' && mode !== submodule);
  if (files.length === 0) return { passed: true, reason: 'no file added or altered' };
  const sizes = await gitText(git, ['cat-file', '--batch-check'], {
    cwd: repo,
    stdin: files.map(({ id }) => `${id}\n`).join(''),
  });
  const large = sizes.split('\n').flatMap((line, at) => {
    const [, type, size] = line.split(' ');
    return type === 'blob' && Number(size) > options.maxBytes
      ? [`${files[at]?.path} (${(Number(size) / 1_048_576).toFixed(1)} MB)`]
      : [];
  });
  const limit = `${(options.maxBytes / 1_048_576).toFixed(1)} MB`;
  if (large.length === 0) return { passed: true, reason: `no file above ${limit}` };
  return { passed: false, reason: `files above ${limit}: ${large.slice(0, 10).join(', ')}` };
}
