import { gitSays } from '../run-git.ts';
import { candidateMessage, commitTree, type CommitOptions } from './commit-tree.ts';
import type { KeepOptions, KeptCommits } from './kept-commits.ts';
import { readOwnCommits, whyTexts } from './own-commits.ts';
import { replayCommits } from './replay-commits.ts';

/** What is kept of an agent's commits, or why the task lands as one commit; null and null: since it is to. */
export type Kept = { kept: KeptCommits; why: null } | { kept: null; why: string | null };

/**
 * Decides what lands of the commits between a start and a head (docs/spec/landing.md#histories). What cannot land as it was made lands
 * as one commit of the same tree. @throws GIT_FAILED
 */
export async function keepCommits(options: KeepOptions): Promise<Kept> {
  const asOne = (why: string | null): Kept => ({ kept: null, why });
  const { git, clone: cwd, history, targetHead, startCommit, headCommit } = options;
  if (history === 'squash') return asOne(null);
  if (history === 'linear') {
    const commits = await readOwnCommits({ ...options, from: startCommit });
    if ('why' in commits) return asOne(commits.why);
    const replayed = await replayCommits(options, commits);
    return 'why' in replayed ? asOne(replayed.why) : { kept: { merged: null, ...replayed }, why: null };
  }
  // Commits below the start that the target does not have are those of other work, which may have been refused.
  if (!(await gitSays(git, ['merge-base', '--is-ancestor', startCommit, targetHead], { cwd })))
    return asOne('its commits are made on others that have not landed');
  const commits = await readOwnCommits({ ...options, from: targetHead });
  if ('why' in commits) return asOne(commits.why);
  const why = await whyTexts({ ...options, from: targetHead }, commits);
  return why === null ? { kept: { merged: headCommit, earlier: [], last: null }, why } : asOne(why);
}

/** Name of the trailer that says how many commits a task landed as, where it is more than one. */
export const commitsTrailer = 'Commits';

/** Makes the commit that lands, on a head, with what is kept of an agent's commits. @throws GIT_FAILED */
export async function commitOnto(
  options: CommitOptions & { message: string; trailers: Readonly<Record<string, string>> },
  { tree, onto, kept }: { tree: string; onto: string; kept: KeptCommits | null },
): Promise<string> {
  const { merged = null, earlier = [], last = null } = kept ?? {};
  let parent = onto;
  for (const each of earlier) parent = await commitTree(options, { ...each, parents: [parent] });
  const count = earlier.length + 1;
  const message = candidateMessage({
    message: last?.message ?? options.message,
    trailers: { ...options.trailers, ...(count > 1 ? { [commitsTrailer]: String(count) } : {}) },
  });
  const parents = merged === null ? [parent] : [parent, merged];
  return commitTree(options, { tree, parents, message, by: last?.by });
}
