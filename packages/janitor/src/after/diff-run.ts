import { BatonError, type Git } from '@baton/contracts';
import { branchRef } from '../ref-name.ts';
import { fields, gitText, resolve } from '../run-git.ts';

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
  const head = await resolve(git, `${branchRef(options.target)}^{commit}`, { cwd });
  if (head === null) {
    throw new BatonError('REF_INVALID', `The branch ${options.target} does not exist.`, {
      at: 'target',
      fix: 'Name a run whose work was not cleaned away.',
    });
  }
  const [text, stat, names, log] = await Promise.all([
    gitText(git, ['diff', ...plain, options.base, head], { cwd }),
    gitText(git, ['diff', ...plain, '--stat=100', options.base, head], { cwd }),
    gitText(git, ['diff', ...plain, '--name-only', '-z', options.base, head], { cwd }),
    gitText(
      git,
      [
        'log',
        '--reverse',
        '--first-parent',
        '-z',
        '--format=%H%n%(trailers:key=Task-Id,valueonly,separator=%x2C)%n%s',
        `${options.base}..${head}`,
      ],
      { cwd },
    ),
  ]);
  return { text, stat, paths: fields(names), commits: fields(log).map(landedCommit) };
}

/** What one landed commit changed. @throws GIT_FAILED */
export async function landedDiff(options: { git: Git; repo: string; commit: string }): Promise<string> {
  return gitText(options.git, ['diff', ...plain, `${options.commit}^1`, options.commit], {
    cwd: options.repo,
  });
}

function landedCommit(entry: string): LandedCommit {
  const [commit = '', taskId = '', ...subject] = entry.split('\n');
  return { commit, taskId: taskId === '' ? null : taskId, subject: subject.join(' ') };
}
