import { join } from 'node:path';
import { buildCandidate } from '../../src/index.ts';
import { at as moment } from '../helpers/landing.ts';
import { userAndClone } from '../helpers/repos.ts';
import { git } from '../helpers/run.ts';
import { commitSome, diceOf, must, tryGit } from './odd-trees.ts';

/**
 * Merges work by chance onto a target that went on by chance, both also across each other, and compares the candidate with what plain
 * `git merge` makes in a checkout. Gives what was wrong.
 */
export async function playMerge(seed: number): Promise<{ outcome: string; problems: string[] }> {
  const dice = diceOf(seed);
  const { user, clone, folder } = await userAndClone({ 'a.txt': 'a\n' });
  const tree = join(folder, 'tree');
  const to = (commit: string): void => {
    must(tree, 'reset', '--quiet', '--hard', commit);
    must(tree, 'clean', '--quiet', '-ffdx');
  };
  must(user, 'worktree', 'add', '--quiet', '--detach', tree);
  const start = commitSome(tree, dice, 12);
  let head = commitSome(tree, dice);
  to(start);
  let target = commitSome(tree, dice);
  if (dice.under(2) === 0) {
    // Each side has taken what the other had then.
    const [one, two] = [head, target];
    to(one);
    if (tryGit(tree, 'merge', '--quiet', '--no-edit', two) !== null) head = commitSome(tree, dice, 2);
    to(two);
    if (tryGit(tree, 'merge', '--quiet', '--no-edit', one) !== null) target = commitSome(tree, dice, 2);
  }
  // The range begins at its start, whatever else the two have in common.
  const alone = (commit: string): string =>
    must(tree, 'commit-tree', `${commit}^{tree}`, '-p', start, '-m', 'alone');
  to(alone(target));
  const [ours, theirs] = [alone(target), alone(head)];
  const said = tryGit(tree, 'merge-tree', '--write-tree', '--messages', ours, theirs);
  const isClean = tryGit(tree, 'merge', '--quiet', '--no-edit', '--no-ff', alone(head)) !== null;
  const expected = isClean ? must(tree, 'rev-parse', 'HEAD^{tree}') : null;
  must(clone, 'fetch', '--quiet', user, head, target, must(tree, 'rev-parse', 'HEAD'));
  const made = await buildCandidate({
    ...{ git, clone, targetHead: target, startCommit: start, headCommit: head, at: moment },
    ...{ message: 'task', trailers: {} },
  });
  const problems: string[] = [];
  if (made.kind === 'clean' && expected === null) problems.push('clean where git has a conflict');
  if (made.kind === 'clean' && expected !== null && made.tree !== expected)
    problems.push(`another tree: ${must(clone, 'diff-tree', '-r', '-p', expected, made.tree)}`);
  if (made.kind === 'conflict' && expected !== null && said?.includes('CONFLICT') !== true)
    problems.push('a conflict where git has none');
  return { outcome: `${made.kind} ${expected === null ? 'conflict' : 'clean'}`, problems };
}
