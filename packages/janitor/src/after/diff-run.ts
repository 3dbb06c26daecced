import { BatonError, type Git } from '@baton/contracts';
import { commitsTrailer } from '../land/history.ts';
import { localRef } from '../land/target-place.ts';
import { branchRef } from '../ref-name.ts';
import { printedName, quotingNames } from '../printed-name.ts';
import { fields, gitText } from '../run-git.ts';

/** One landed commit. */
export interface LandedCommit {
  commit: string;
  subject: string;
  /** Value of the `Task-Id` trailer, or null for a commit of somebody else. */
  taskId: string | null;
}

/** What a run changed. */
export interface RunDiff {
  /** Unified diff; may be empty. */
  text: string;
  /** One line for each file and a sum, as `git diff --stat`. */
  stat: string;
  /** Names of the changed files. */
  paths: string[];
  /** Newest last. */
  commits: LandedCommit[];
}

const plain = ['--no-color', '--no-ext-diff', '--no-textconv'] as const;

/** All that landed on a run's target since its base, for `baton diff`. @throws REF_INVALID, GIT_FAILED */
export async function diffRun(options: {
  git: Git;
  repo: string;
  target: string;
  base: string;
}): Promise<RunDiff> {
  const { git, repo: cwd } = options;
  const head = await localRef(git, { repo: cwd, ref: branchRef(options.target) });
  if (head === null) {
    throw new BatonError('REF_INVALID', `The branch ${options.target} does not exist.`, {
      at: 'target',
      fix: 'Name a run whose work was not cleaned away.',
    });
  }
  const [text, stat, names, log] = await Promise.all([
    gitText(git, ['diff', ...plain, options.base, head], { cwd }),
    gitText(git, ['diff', ...plain, '--stat=100', options.base, head], { cwd }),
    gitText(git, [...quotingNames, 'diff', ...plain, '--name-only', options.base, head], { cwd }),
    gitText(
      git,
      [
        'log',
        '--reverse',
        '--first-parent',
        '-z',
        `--format=%H%n%(trailers:key=Task-Id,valueonly,separator=%x2C)%n%(trailers:key=${commitsTrailer},valueonly,separator=%x2C)%n%s`,
        `${options.base}..${head}`,
      ],
      { cwd },
    ),
  ]);
  return { text, stat, paths: linesOf(names).map(printedName), commits: landedCommits(fields(log)) };
}

/** What the task of one landed commit changed. @throws GIT_FAILED */
export async function landedDiff(options: { git: Git; repo: string; commit: string }): Promise<string> {
  const { git, repo: cwd, commit } = options;
  return gitText(git, ['diff', ...plain, await landedOnto(options), commit], { cwd });
}

/** The revision that a task's landed commit, and the others that it landed as, were made on. @throws GIT_FAILED */
export async function landedOnto({
  git,
  repo: cwd,
  commit,
}: {
  git: Git;
  repo: string;
  commit: string;
}): Promise<string> {
  const args = ['log', '-1', `--format=%(trailers:key=${commitsTrailer},valueonly,separator=%x2C)`, commit];
  return `${commit}~${countOf(await gitText(git, args, { cwd }))}`;
}

/** How many commits a task landed as. */
function countOf(trailer: string): number {
  return /^[1-9]\d{0,3}$/.test(trailer.trim()) ? Number(trailer) : 1;
}

/** Commits of the first-parent line, oldest first; those before the last of a task are its own, too. */
function landedCommits(entries: readonly string[]): LandedCommit[] {
  const found = entries.map((entry) => {
    const [commit = '', taskId = '', count = '', ...subject] = entry.split('\n');
    return {
      commit,
      taskId: taskId === '' ? null : taskId,
      count: countOf(count),
      subject: subject.join(' '),
    };
  });
  return found.map(({ commit, subject, taskId }, at) => {
    const last = found.find((each, place) => place >= at && each.taskId !== null && place - each.count < at);
    return { commit, taskId: taskId ?? last?.taskId ?? null, subject };
  });
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
