import type { Git } from '@baton/contracts';
import { gitFailure, gitText } from '../git/git.ts';

/** Each further try means that somebody else moved the same ref in between. */
const mostTries = 6;

/**
 * Lets a ref that keeps work name a commit. What it named before stays: where that does not lead to the commit, it first gets a ref of
 * its own, `<ref>.<commit>`. The fences of a database that was restored from an older dump begin again, so that a new attempt may
 * have the name of an earlier one.
 *
 * @param options.repo Absolute path of the bare repository.
 * @throws GIT_FAILED
 */
export async function moveKeptRef(
  git: Git,
  { repo, ref, commit }: { repo: string; ref: string; commit: string },
): Promise<void> {
  const at = { cwd: repo };
  let before: string | null = null; // a ref is nearly always new: the first try looks nothing up
  for (let tries = 1; ; tries += 1) {
    if (before === commit) return;
    if (before !== null && !(await isPassed(git, { repo, before, commit })))
      await gitText(git, ['update-ref', `${ref}.${before}`, before], at);
    const args = ['update-ref', ref, commit, before ?? '0'.repeat(commit.length)];
    const moved = await git(args, at);
    if (moved.exitCode === 0) return;
    if (tries === mostTries) throw gitFailure(args, moved);
    const named = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', ref], at);
    before = named.exitCode === 0 ? named.stdout.trim() : null;
  }
}

/** Whether a commit leads to the one before, or nothing of that one is left to keep. */
async function isPassed(
  git: Git,
  { repo, before, commit }: { repo: string; before: string; commit: string },
): Promise<boolean> {
  const ancestor = await git(['merge-base', '--is-ancestor', before, commit], { cwd: repo });
  if (ancestor.exitCode === 0) return true;
  return (await git(['cat-file', '-e', before], { cwd: repo })).exitCode !== 0;
}
