import { parseDiff } from '../added-lines.ts';
import { findKeys, keyShapes } from '../key-shapes.ts';
import { gitText } from '../run-git.ts';
import type { CheckContext, Finding } from './check-context.ts';

/**
 * No added line holds a key of a well-known shape. A key that the change only moves is not new. Git first picks the files whose
 * changed lines can match at all, so that a big change costs one command.
 */
export async function noSecrets(context: CheckContext): Promise<Finding> {
  const hints = keyShapes.map(({ hint }) => hint).join('|');
  const args = [
    'diff',
    '-U0',
    '--text',
    '--no-prefix',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
  ];
  const diff = await gitText(
    context.git,
    [...args, `-G(${hints})`, context.baseCommit, context.candidateCommit],
    { cwd: context.repo },
  );
  const files = parseDiff(diff);
  const known = new Set(files.flatMap((file) => findKeys(file.removed.join('\n'))).map((key) => key.text));
  const found = files.flatMap((file) =>
    findKeys(file.added.join('\n'))
      .filter((key) => !known.has(key.text))
      .map((key) => `${file.path} (${key.kind})`),
  );
  if (found.length === 0) return { passed: true, reason: 'no key in the added lines' };
  return {
    passed: false,
    reason: `the change adds what looks like a key: ${[...new Set(found)].slice(0, 10).join(', ')}`,
  };
}
