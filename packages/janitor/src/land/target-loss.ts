import { shellWord } from '@baton/contracts';

import { branchRef } from '../ref-name.ts';
import { gitSays } from '../run-git.ts';
import { checkedOutAt } from './checkout.ts';
import { isLanded } from './settle-intent.ts';
import { haveObject, isRemote, objectsOf, readRefs, type TargetPlace } from './target-place.ts';

/**
 * What somebody else did to a target that work had landed on. `deleted`: the branch is gone · `behind`: it is at an earlier
 * commit of what landed · `elsewhere`: it holds commits that never led to what landed · `replaced`: another repository lies where the
 * one was that the work landed in.
 */
export interface TargetLoss {
  kind: 'deleted' | 'behind' | 'elsewhere' | 'replaced';
  /** Where it is now; null when it is gone. */
  head: string | null;
  /** Landed commits that it does not hold, in the order asked. */
  missing: string[];
  /** The last of them. */
  last: string;
  /** Commands for a shell in the repository that bring all of it back; for `replaced`, into a folder beside it. */
  restore: string;
}

/**
 * Looks whether a target still holds every commit that landed on it.
 * @param options.commits landed commits, oldest first
 * @returns null when it does
 * @throws GIT_FAILED, REF_INVALID
 */
export async function targetLoss(
  options: TargetPlace & { target: string; commits: readonly string[] },
): Promise<TargetLoss | null> {
  const [head = null] = await readRefs(options, [branchRef(options.target)]);
  const missing = head === null ? [...options.commits] : await notHeld(options, head);
  const last = missing.at(-1);
  if (last === undefined) return null;
  const kind = await kindOf(options, { head, last });
  return { kind, head, missing, last, restore: await restoring(options, { kind, last }) };
}

async function kindOf(
  options: TargetPlace & { commits: readonly string[] },
  { head, last }: { head: string | null; last: string },
): Promise<TargetLoss['kind']> {
  if (await isReplaced(options)) return 'replaced';
  if (head === null) return 'deleted';
  return (await leadsTo(options, { head, last })) ? 'behind' : 'elsewhere';
}

/** Whether a repository of this machine has neither the first of the commits nor one at which its history began. */
async function isReplaced({
  git,
  repo,
  clone,
  commits: [first = ''],
}: TargetPlace & { commits: readonly string[] }): Promise<boolean> {
  if (isRemote(repo) || clone === undefined || (await holds(git, { cwd: repo, commit: first }))) return false;
  const asked = async (args: readonly string[], cwd: string) => {
    const said = await git(args, { cwd });
    return said.exitCode === 0 && !said.truncated ? said.stdout.split('\n').filter(Boolean) : null;
  };
  // Where a shallow history ends says nothing of where it began.
  if ((await asked(['rev-parse', '--is-shallow-repository'], repo))?.[0] !== 'false') return false;
  const there = await asked(['rev-list', '--max-parents=0', '--all'], repo);
  const own = await asked(['rev-list', '--max-parents=0', first], clone);
  return there !== null && own !== null && !own.some((root) => there.includes(root));
}

/** One walk of git checks all commits; one that cannot be read there is asked about alone. */
async function notHeld(
  options: TargetPlace & { target: string; commits: readonly string[] },
  head: string,
): Promise<string[]> {
  const { git, target, commits } = options;
  await haveObject(options, { ref: branchRef(target), id: head });
  const walked = await git(['rev-list', '--stdin'], {
    cwd: objectsOf(options),
    stdin: [`^${head}`, ...commits, ''].join('\n'),
  });
  if (walked.exitCode === 0 && !walked.truncated) {
    const outside = new Set(walked.stdout.split('\n'));
    return commits.filter((commit) => outside.has(commit));
  }
  const missing: string[] = [];
  for (const commit of commits) if (!(await isLanded({ ...options, commit }))) missing.push(commit);
  return missing;
}

/** Whether a head is an ancestor of a landed commit, as far as the commits can be read. */
async function leadsTo(place: TargetPlace, { head, last }: { head: string; last: string }): Promise<boolean> {
  const cwd = place.clone ?? objectsOf(place);
  const known = await place.git(['cat-file', '-e', `${head}^{commit}`], { cwd });
  if (known.exitCode !== 0 || !(await holds(place.git, { cwd, commit: last }))) return false;
  return gitSays(place.git, ['merge-base', '--is-ancestor', head, last], { cwd });
}

const holds = async (
  git: TargetPlace['git'],
  { cwd, commit }: { cwd: string; commit: string },
): Promise<boolean> => (await git(['cat-file', '-e', `${commit}^{commit}`], { cwd })).exitCode === 0;

async function restoring(
  options: TargetPlace & { target: string },
  { kind, last }: { kind: TargetLoss['kind']; last: string },
): Promise<string> {
  const { git, repo, target, clone } = options;
  if (kind === 'replaced') {
    const beside = shellWord(`${repo}-before`);
    return `git clone --quiet --no-checkout ${shellWord(clone ?? '.')} ${beside} && git -C ${beside} switch --create ${shellWord(target)} ${last}`;
  }
  if (isRemote(repo)) {
    const from = clone === undefined ? 'git' : `git -C ${shellWord(clone)}`;
    return kind === 'elsewhere'
      ? `git fetch ${shellWord(clone ?? '.')} ${last} && git merge ${last}`
      : `${from} push ${shellWord(repo)} ${last}:${shellWord(`refs/heads/${target}`)}`;
  }
  // What nothing refers to may have been collected; Baton's own clone keeps it.
  const there = clone === undefined || (await holds(git, { cwd: repo, commit: last }));
  const fetch = there ? '' : `git fetch --no-tags ${shellWord(clone)} ${last} && `;
  const worktree = kind === 'deleted' ? null : await checkedOutAt(git, { repo, target });
  if (kind === 'elsewhere' && worktree === null)
    return `${fetch}git switch ${shellWord(target)} && git merge ${last}`;
  const safely = kind === 'behind' ? '--ff-only --no-overwrite-ignore ' : '';
  if (worktree !== null) return `${fetch}git -C ${shellWord(worktree)} merge ${safely}${last}`;
  return kind === 'deleted'
    ? `${fetch}git branch ${shellWord(target)} ${last}`
    : `${fetch}git branch -f ${shellWord(target)} ${last}`;
}
