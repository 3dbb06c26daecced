import { BatonError, isBranchName, shellText, shellWord } from '@baton/contracts';
import { refuseDirty, refuseInUse } from '@baton/janitor';

import { count } from '../terminal/format.ts';
import { nearest } from '../terminal/nearest.ts';
import type { Project } from '../project/project.ts';

/** Where a run lands, and what it starts from. */
export interface Target {
  target: string;
  baseCommit: string;
  /** The target is the branch that the user has checked out: it moves under their feet, by fast-forward. */
  isCheckedOut: boolean;
  /** Something that the user should know, though it stops nothing. */
  warning: string | undefined;
  /** Where pull requests go: work is not landed on the target itself, which only follows that branch. */
  requests?: { into: string; remote: string };
}

/** Where the work goes, in words. */
export const landsOn = ({ target, requests }: Pick<Target, 'target' | 'requests'>): string =>
  requests === undefined ? target : `pull requests into ${requests.into} of ${requests.remote}`;

/**
 * Chooses the target branch and its base. Uncommitted changes stop a run only where it would land on them.
 * @param options.wanted branch named by the user; an integration branch `baton/<slug>` when absent
 * @throws REF_INVALID, REPO_DIRTY, TARGET_IN_USE
 */
export async function chooseTarget(
  project: Project,
  { wanted, slug }: { wanted: string | undefined; slug: string },
): Promise<Target> {
  const target = (wanted ?? `baton/${slug}`).replace(/^refs\/heads\//, '');
  if (!isBranchName(target))
    throw new BatonError('REF_INVALID', `"${target}" cannot be the name of a branch.`, {
      fix: 'Use letters, digits, "-", "_", "." and "/", and no part that begins or ends with a dot.',
    });
  await refuseBranchAbove(project, target);
  // Not `rev-parse`, which takes a name that does not exist for a short one: a branch may be called `refs/heads/x`.
  const head = await project.git(['show-ref', '--verify', '--hash', `refs/heads/${target}`], {
    cwd: project.root,
  });
  if (head.exitCode !== 0 && !target.startsWith('baton/')) throw await missing(project, target);
  const isCheckedOut = project.branch === target;
  const dirty = project.dirtyFiles;
  const place = { repo: project.root, target };
  if (head.exitCode === 0) await refuseInUse(project.git, place);
  if (isCheckedOut && dirty.length > 0) {
    throw new BatonError(
      'REPO_DIRTY',
      `${target} is checked out with uncommitted changes in ${listed(dirty)}.`,
      {
        at: project.root,
        fix: 'Commit or stash them, or leave --target out: the work then lands on a branch of its own.',
        details: { files: dirty.slice(0, 100) },
      },
    );
  }
  // In another worktree, or by another name.
  if (head.exitCode === 0) await refuseDirty(project.git, place);
  return {
    target,
    baseCommit: head.exitCode === 0 ? head.stdout.trim() : project.headCommit,
    isCheckedOut,
    warning: unseenText(dirty),
  };
}

/** What agents do not see; undefined: nothing. */
export function unseenText(dirty: readonly string[]): string | undefined {
  if (dirty.length === 0) return undefined;
  return `${count(dirty.length, 'file')} with uncommitted changes: agents start from the last commit and do not see them.`;
}

/** A misspelt name must not become a branch; Baton makes only its own. One that a remote has is made of that. */
async function missing({ git, root }: Project, target: string): Promise<BatonError> {
  const names = async (below: string) =>
    (await git(['for-each-ref', '--format=%(refname:lstrip=2)', below], { cwd: root })).stdout.split('\n');
  const remote = await names('refs/remotes');
  const near = nearest(target, (await names('refs/heads')).filter(isBranchName));
  const of = remote.find((name) => name.slice(name.indexOf('/') + 1) === target);
  const local = target.slice(target.indexOf('/') + 1);
  const fix =
    of === undefined && remote.includes(target)
      ? `That is a branch of a remote. Name a local one, such as --target ${shellWord(local)}`
      : `${near === undefined ? 'Make' : `Did you mean --target ${shellWord(near)}? If not, make`} it first (\`git branch ${shellText(of === undefined ? [target] : [target, of])}\`)`;
  return new BatonError('REF_INVALID', `The target branch "${target}" does not exist.`, {
    fix: `${fix}, or leave --target out to land on an integration branch.`,
  });
}

/** Git keeps branches as files: `baton` and `baton/x` cannot both exist, whichever is there. */
export async function refuseBranchAbove(project: Project, target: string): Promise<void> {
  const parts = target.split('/');
  for (let length = 1; length < parts.length; length += 1) {
    const above = parts.slice(0, length).join('/');
    const found = await project.git(['show-ref', '--verify', '--quiet', `refs/heads/${above}`], {
      cwd: project.root,
    });
    if (found.exitCode !== 0) continue;
    throw await inTheWay(project, { target, other: above });
  }
  const [below] = await branchesIn(project, `refs/heads/${target}/`);
  if (below !== undefined) throw await inTheWay(project, { target, other: below });
}

async function branchesIn({ git, root }: Project, place: string): Promise<string[]> {
  const { stdout } = await git(['for-each-ref', '--format=%(refname:lstrip=2)', place], { cwd: root });
  return stdout.split('\n').filter((name) => name !== '');
}

async function inTheWay(
  project: Project,
  { target, other }: { target: string; other: string },
): Promise<BatonError> {
  const taken = new Set(await branchesIn(project, 'refs/heads/'));
  const parts = other.split('/');
  // Beside what is in the way, and in none of the folders that the target needs.
  const stem = other.startsWith(`${target}/`) ? parts.join('-') : other;
  let free = `${stem}-old`;
  for (let n = 2; taken.has(free); n += 1) free = `${stem}-old-${n}`;
  return new BatonError(
    'REF_INVALID',
    `The branch ${target} cannot be made: there is a branch named ${other}.`,
    {
      fix: `Rename it (\`git branch -m ${shellText([other, free])}\`), or name another target with --target.`,
    },
  );
}

function listed(files: readonly string[]): string {
  const shown = files.slice(0, 3).join(', ');
  return files.length > 3 ? `${shown} and ${files.length - 3} more` : shown;
}
