import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BatonError, type Git } from '@baton/contracts';
import { diffSnapshots } from '@baton/testkit';
import { buildCandidate, moveTarget, publishCandidate, type MoveOutcome } from '../../src/index.ts';
import { at as moment, takeLane } from '../helpers/landing.ts';
import { userAndClone } from '../helpers/repos.ts';
import { git } from '../helpers/run.ts';
import { commitSome, diceOf, inventory, must, tryGit, type Dice } from './odd-trees.ts';
import { personActs, targetActs } from './person-acts.ts';

/** What became of one landing into a checkout by chance, and what was wrong with it. */
export interface PlayedCheckout {
  acts: string[];
  outcome: string;
  problems: string[];
}

/** Lands a change by chance into a checkout that a person left by chance. Never is a file of theirs lost, and what lands is what git gives. */
export async function playCheckout(seed: number): Promise<PlayedCheckout> {
  const dice = diceOf(seed);
  const here = await userAndClone({ 'a.txt': 'a\n' });
  const { user, clone, folder, stateDir } = here;
  const base = commitSome(user, dice, 12);
  const work = join(folder, 'work');
  must(user, 'worktree', 'add', '--quiet', '--detach', work, base);
  const head = commitSome(work, dice);
  must(work, 'checkout', '--quiet', '--force', '--detach', base);
  must(work, 'clean', '--quiet', '-ffdx');
  must(user, 'branch', 'theirs', commitSome(work, dice));
  must(user, 'worktree', 'remove', '--force', work);
  must(clone, 'fetch', '--quiet', user, head, base);

  const plain = (commit: string): Map<string, string> => checkoutOf(user, { folder, commit });
  // As a checkout has them, not as they were typed.
  must(user, 'rm', '-r', '--quiet', '--force', '--', '.');
  must(user, 'reset', '--quiet', '--hard');
  const from = plain(base);
  const acts: string[] = [];
  for (let left = 1 + dice.under(3); left > 0; left -= 1) {
    acts.push(act(user, dice, personActs));
  }
  const made = await buildCandidate({
    ...{ git, clone, targetHead: base, startCommit: base, headCommit: head, at: moment },
    ...{ message: 'task', trailers: {} },
  });
  if (made.kind !== 'clean') return { acts, outcome: made.kind, problems: [] };
  const problems: string[] = [];
  if (made.tree !== must(clone, 'rev-parse', `${head}^{tree}`))
    problems.push('the candidate is another tree');
  const to = made.commit;
  await publishCandidate({ git, clone, repo: user, commit: to, landingId: 'l1' });
  const lane = await takeLane({ repo: user, target: 'main', epoch: 1 });
  const hookRan = join(user, '.git/hook-ran');
  const look = async () => ({
    // What the person's own git ran so far is theirs.
    ran: rmSync(hookRan, { force: true }),
    files: inventory(user),
    status: statusOf(user),
    all: await here.repo.snapshot(),
  });
  let seen = await look();
  // Right before the refs move, a person may do one thing more.
  let isOpen = dice.under(3) === 0;
  const disturbed: Git = async (args, options) => {
    if (isOpen && args.includes('update-ref')) {
      isOpen = false;
      acts.push(`then ${act(user, dice, { ...personActs, ...targetActs })}`);
      seen = await look();
    }
    return git(args, options);
  };
  const move = {
    git: disturbed,
    repo: user,
    clone,
    target: 'main',
    stateDir,
    lane,
    from: base,
    to,
    landingId: 'l1',
  };
  const moved = await moveTarget(move).catch((error: unknown) => error);
  if (moved instanceof Error && !BatonError.is(moved)) throw moved;
  const outcome =
    moved instanceof Error ? `${(moved as BatonError).code} ${moved.message}` : (moved as MoveOutcome).kind;
  if (existsSync(hookRan)) problems.push('a hook of the person ran');
  const now = inventory(user);
  if (BatonError.is(moved) && !moved.fix) problems.push('no way out is named');
  if (outcome !== 'moved') {
    const except = [/^ORIG_HEAD$/, /^ref refs\/baton\/lane\//, /^file .*\bnew$/];
    for (const { what } of diffSnapshots(seen.all, await here.repo.snapshot(), { except }))
      problems.push(`changed: ${what}`);
    return { acts, outcome, problems };
  }
  if (must(user, 'rev-parse', 'refs/heads/main') !== to) problems.push('the target is elsewhere');
  const isThere = must(user, 'rev-parse', 'HEAD') === to;
  const files = isThere ? { from, to: plain(to) } : { from: seen.files, to: seen.files };
  const names = must(user, 'diff-tree', '-r', '-z', '--no-renames', '--name-only', base, to).split('\0');
  const isWithoutModes = tryGit(user, 'config', 'core.fileMode')?.trim() === 'false';
  const changed = new Set(isThere ? names : []);
  problems.push(...lostFiles({ before: seen.files, now, ...files }, { changed, isWithoutModes }));
  const after = statusOf(user);
  if (after !== seen.status) problems.push(`another status: ${seen.status} => ${after}`);
  return { acts, outcome, problems };
}

/** Does one of some things, as far as it can be done; gives its name. */
function act(user: string, dice: Dice, all: typeof personActs): string {
  const name = dice.pick(Object.keys(all));
  try {
    all[name]?.(user, dice);
  } catch (error) {
    if (!/^E[A-Z]+$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  return name;
}

/** What git itself checks out of a commit with the settings of a repository. */
function checkoutOf(
  user: string,
  { folder, commit }: { folder: string; commit: string },
): Map<string, string> {
  const place = join(folder, 'plain');
  must(
    user,
    '-c',
    'core.hooksPath=/dev/null',
    'worktree',
    'add',
    '--quiet',
    '--detach',
    '--no-checkout',
    place,
    commit,
  );
  tryGit(place, 'sparse-checkout', 'disable');
  must(place, '-c', 'core.hooksPath=/dev/null', 'reset', '--quiet', '--hard');
  const found = inventory(place);
  must(user, 'worktree', 'remove', '--force', place);
  return found;
}

/** Files of a person that changed, and files of the new head that are not as git writes them. */
function lostFiles(
  seen: Record<'before' | 'now' | 'from' | 'to', Map<string, string>>,
  { changed, isWithoutModes }: { changed: ReadonlySet<string>; isWithoutModes: boolean },
): string[] {
  const { before, now, from, to } = seen;
  const problems: string[] = [];
  const isSame = (one: string | undefined, other: string | undefined): boolean =>
    one === other ||
    (isWithoutModes && one?.replace(/^program/, 'file') === other?.replace(/^program/, 'file'));
  for (const [key, what] of before) {
    const is = now.get(key);
    if (isSame(is, what)) continue;
    if (!isSame(from.get(key), what)) problems.push(`lost of a person: ${JSON.stringify(key)}`);
    else if (!isSame(is, to.get(key))) problems.push(`not as git writes it: ${JSON.stringify(key)}`);
  }
  for (const [key, what] of to) {
    // Git writes no file whose content stays, also where attributes or settings would now have it otherwise.
    if (!changed.has(key) || isSame(now.get(key), what)) continue;
    if (before.has(key) || now.has(key)) problems.push(`not brought forward: ${JSON.stringify(key)}`);
  }
  return problems;
}

const statusOf = (user: string): string =>
  tryGit(
    user,
    '--no-replace-objects',
    '-c',
    'core.fsmonitor=false',
    'status',
    '--porcelain',
    '-z',
    '--untracked-files=all',
  ) ?? 'none';
