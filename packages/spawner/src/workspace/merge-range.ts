import { gitFailure, gitText } from '../git/git.ts';
import type { Clone } from '../tree/clone.ts';

/** Commits of one attempt. */
export interface Range {
  startCommit: string;
  headCommit: string;
}

/** Work of an earlier attempt that was merged onto a head, and what git left open. */
export interface Conflicts {
  /** What git could not decide; empty: all merges by now. */
  files: readonly { path: string; what: string }[];
  /** The commits that git names at both sides of a conflict: made for the target, and for the earlier work. */
  names: readonly [string, string];
  /** The target, and the head of the earlier work. */
  sides: readonly [string, string];
}

/** A merge of earlier work. */
export interface Merged {
  commit: string;
  isClean: boolean;
  conflicts: Conflicts;
}

const oid = /^[0-9a-f]{40,64}$/;
/** A conflict at which git exits with 0: one side moved a file, the other changed it and put something at its new place. */
const collision = 'CONFLICT (rename involved in collision)';

/**
 * A commit on `head` with the change of a range merged in, made without a checkout. Files in conflict hold both sides between markers, where
 * they are text. Null: nothing new, what leads to it is gone, or git gave no whole answer.
 */
export async function mergeRange(
  clone: Clone,
  { head, range: { startCommit, headCommit } }: { head: string; range: Range },
): Promise<Merged | null> {
  const at = { cwd: clone.path };
  const commitOf = (tree: string, parent: string, message: string) =>
    gitText(clone.git, ['commit-tree', tree, '-p', parent, '-m', message], at);
  if ((await clone.resolve(startCommit)) === null || (await clone.resolve(headCommit)) === null) return null;
  // Two commits that share the range's start as their only parent make it the merge base, on every git from 2.38.
  const ours = await commitOf(`${head}^{tree}`, startCommit, 'head');
  const theirs = await commitOf(`${headCommit}^{tree}`, startCommit, 'earlier attempt');
  const merged = await clone.git(['merge-tree', '--write-tree', '--messages', '-z', ours, theirs], at);
  const [tree = '', ...rest] = merged.stdout.split('\0');
  const end = rest.indexOf('');
  const records = end === -1 ? rest : rest.slice(0, end);
  const isHidden = merged.exitCode === 0 && rest.some((field) => field.startsWith(collision));
  if ((merged.exitCode !== 0 && merged.exitCode !== 1) || merged.truncated || !oid.test(tree)) return null;
  if (tree === (await gitText(clone.git, ['rev-parse', `${head}^{tree}`], at))) return null;
  return {
    commit: await commitOf(tree, head, 'Work of an earlier attempt, merged onto the current head'),
    isClean: merged.exitCode === 0 && !isHidden,
    conflicts: { files: filesOf(records), names: [ours, theirs], sides: [head, headCommit] },
  };
}

/** Records are `mode oid stage`, a tab and the path; stage 1 is the start, 2 the target, 3 the earlier work. */
function filesOf(records: readonly string[]): Conflicts['files'] {
  const stages = new Map<string, string>();
  for (const record of records) {
    const tab = record.indexOf('\t');
    if (tab === -1) continue;
    const path = record.slice(tab + 1);
    stages.set(path, `${stages.get(path) ?? ''}${record.slice(tab - 1, tab)}`);
  }
  return [...stages].map(([path, all]) => ({ path, what: words[all] ?? 'in the way of the other side' }));
}

const words: Readonly<Record<string, string>> = {
  '123': 'changed on both sides',
  '23': 'added on both sides',
  '12': 'changed on the target, deleted or moved by the earlier work',
  '13': 'deleted or moved on the target, changed by the earlier work',
  '1': 'deleted or moved on both sides',
};

/**
 * Files of a commit that still hold a line, or have a name, which git made for a side of a conflict; renamed ones, too.
 * @throws GIT_FAILED
 */
export async function unresolvedFiles(
  clone: Pick<Clone, 'git' | 'path'>,
  { from, to, conflicts }: { from: string; to: string; conflicts: Pick<Conflicts, 'names'> },
): Promise<string[]> {
  const either = conflicts.names.join('|');
  const changed = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const named = async (...more: string[]): Promise<string[]> => {
    const args = [...changed, ...more, from, to];
    const found = await clone.git(args, { cwd: clone.path });
    if (found.exitCode !== 0) throw gitFailure(args, found);
    return found.stdout.split('\0').filter((name) => name !== '');
  };
  // Lines begin with as many signs as an attribute says, and may end with a path or a carriage return.
  const held = await named('--diff-filter=AM', '--text', `-G^[<>]+ (${either})`);
  const beside = (await named('--diff-filter=A')).filter((name) =>
    new RegExp(`~(${either})(_\\d+)?$`).test(name),
  );
  return [...new Set([...held, ...beside])];
}
