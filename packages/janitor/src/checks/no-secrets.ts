import { parseDiff, type FileLines } from '../added-lines.ts';
import { findKeys, keyShapes } from '../key-shapes.ts';
import { gitText } from '../run-git.ts';
import type { CheckContext, Finding } from './check-context.ts';

const nothing: Finding = { passed: true, reason: 'no key in the added lines' };
const hints = keyShapes.map(({ hint }) => hint).join('|');
/** More files are left to git's own search. */
const mostRead = 100;
const submodule = '160000';

/**
 * No added line holds a key of a well-known shape. A key that the change only moves is not new. Git first picks the files whose
 * changed lines can match at all, so that a big change costs one command.
 */
export async function noSecrets(context: CheckContext): Promise<Finding> {
  if (await holdsNoHint(context)) return nothing;
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
  const found = newKeys(parseDiff(diff));
  if (found.length === 0) return nothing;
  return {
    passed: false,
    reason: `the change adds what looks like a key: ${[...new Set(found)].slice(0, 10).join(', ')}`,
  };
}

/** Where a change adds keys that it does not only move, and of which kind. Pure. */
export function newKeys(files: readonly FileLines[]): string[] {
  const known = new Set(files.flatMap((file) => findKeys(file.removed.join('\n'))).map((key) => key.text));
  return files.flatMap((file) =>
    findKeys(file.added.join('\n'))
      .filter((key) => !known.has(key.text))
      .map((key) => `${file.path} (${key.kind})`),
  );
}

/** Whether nothing in the files of a small change could be a key: then no line of it is. False says nothing. */
async function holdsNoHint({ git, repo, changes }: CheckContext): Promise<boolean> {
  const files = (changes ?? []).filter(({ status, mode }) => status !== 'deleted' && mode !== submodule);
  if (changes === undefined || files.length > mostRead) return false;
  if (files.length === 0) return true;
  const stdin = files.map(({ id }) => `${id}\n`).join('');
  const read = await git(['cat-file', '--batch'], { cwd: repo, stdin });
  const isWhole = read.exitCode === 0 && !read.truncated && !/^[0-9a-f]{40,64} missing$/m.test(read.stdout);
  return isWhole && !new RegExp(hints).test(read.stdout);
}
