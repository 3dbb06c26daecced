import type { Git } from '@baton/contracts';
import { mergeArguments, readMerge } from '../read-merge.ts';
import { commitTree } from './commit-tree.ts';
import { withAttributes } from './merge-attributes.ts';

/** A tree with the merge of two, or the files in conflict, sorted. */
export type MergedTree = { tree: string } | { files: string[] };

/**
 * Merges work onto a tree in the object database and keeps nothing. The merge base is forced to be `startCommit`, by two synthetic children
 * of it. Where contents of a file are merged, the attributes of the tree that it is merged onto say how, as in a checkout of that. The same inputs write the same objects.
 * @param options.env where git writes objects, if not into the clone
 * @throws GIT_FAILED
 */
export async function tryMerge(
  options: { git: Git; clone: string; env?: Readonly<Record<string, string>> },
  { startCommit, onto, tree }: { startCommit: string; onto: string; tree: string },
): Promise<MergedTree> {
  const { git, clone: cwd, env = {} } = options;
  const fixed = { git, clone: cwd, env, at: new Date(0) };
  const [ours, theirs] = await Promise.all([
    commitTree(fixed, { tree: onto, parents: [startCommit], message: 'target' }),
    commitTree(fixed, { tree, parents: [startCommit], message: 'task' }),
  ]);
  const args = mergeArguments(ours, theirs);
  const merge = async (place: { cwd: string; env: Readonly<Record<string, string>> }) =>
    readMerge(args, await git(args, place));
  const plain = await merge({ cwd, env });
  const isByAttributes = plain.mergesContents || !plain.isClean;
  const told = isByAttributes ? await withAttributes({ git, clone: cwd, env }, onto, merge) : null;
  const { tree: merged, isClean, files } = told ?? plain;
  return isClean ? { tree: merged } : { files };
}
