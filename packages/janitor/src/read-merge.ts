import type { ExecResult } from '@baton/contracts';
import { gitFailed } from './run-git.ts';

/** The arguments of a merge in the object database, which {@link readMerge} reads. */
export const mergeArguments = (ours: string, theirs: string): string[] => [
  ...['merge-tree', '--write-tree', '-z', '--name-only', '--messages', ours, theirs],
];

/**
 * The tree of a merge, whether git had to merge the contents of a file, and the files in conflict, sorted. Git's exit code alone does not say that there are none: of a file that one side
 * moved and the other changed, and put something at its new place, git writes nested markers or drops a side, and exits with 0.
 * Its messages name the conflict even then.
 * @throws GIT_FAILED when it was no merge
 */
export function readMerge(
  args: readonly string[],
  result: ExecResult,
): { tree: string; isClean: boolean; mergesContents: boolean; files: string[] } {
  if ((result.exitCode !== 0 && result.exitCode !== 1) || result.truncated) throw gitFailed(args, result);
  const [tree = '', ...rest] = result.stdout.split('\0');
  const end = rest.indexOf('');
  const files = new Set(end === -1 ? rest : rest.slice(0, end));
  let isClean = result.exitCode === 0;
  let mergesContents = false;
  for (const { paths, kind } of messagesOf(end === -1 ? [] : rest.slice(end + 1))) {
    if (kind === 'Auto-merging') mergesContents = true;
    if (!kind.startsWith('CONFLICT')) continue;
    isClean = false;
    if (result.exitCode === 0) for (const path of paths) files.add(path);
  }
  return { tree, isClean, mergesContents, files: [...files].sort() };
}

/** Each message is the number of its paths, these, its kind, and a text for people. */
function messagesOf(fields: readonly string[]): { paths: readonly string[]; kind: string }[] {
  const messages: { paths: readonly string[]; kind: string }[] = [];
  for (let at = 0; /^\d+$/.test(fields[at] ?? '');) {
    const afterPaths = at + 1 + Number(fields[at]);
    messages.push({ paths: fields.slice(at + 1, afterPaths), kind: fields[afterPaths] ?? '' });
    at = afterPaths + 2;
  }
  return messages;
}
