import { existsSync, lstatSync } from 'node:fs';
import { BatonError, printableLine, shellWord, type Git } from '@baton/contracts';
import { seeWhatIsBroken } from './complete-commit.ts';
import { gitText } from './git.ts';

/** What Baton wants to know of the user's repository. It is only read. */
export interface RepositoryFacts {
  /** Absolute path of the working tree's top folder. */
  root: string;
  /** Absolute path of the common git folder: the same for all linked worktrees of a repository. */
  gitDir: string;
  /** Branch that is checked out; null when HEAD is detached. */
  branch: string | null;
  headCommit: string;
  /** Tracked files with uncommitted changes, relative to the root. Untracked files do not count. */
  dirtyFiles: string[];
}

/**
 * Finds the working tree that a path is in, with one git process.
 *
 * @returns null when there is none, or git cannot say it at once: {@link inspectRepository} says why
 */
export async function findRepository({
  git,
  path,
}: {
  git: Git;
  path: string;
}): Promise<Pick<RepositoryFacts, 'root' | 'gitDir'> | null> {
  const asked = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir', '--verify'];
  // It ends by itself, so no guard has to be started for it: one takes 40 % of the processor time of a command that only reads.
  const found = await git([...asked, 'HEAD^{commit}'], { cwd: path, finishes: true }).catch(() => null);
  if (found?.exitCode !== 0) return null;
  const [root, gitDir, head, ...rest] = found.stdout.split('\n');
  // A line break in a path leaves more lines than these.
  if (root === undefined || gitDir === undefined || !head || rest.join('') !== '' || rest.length !== 1)
    return null;
  return { root, gitDir };
}

/**
 * Looks at the repository that a path is in.
 *
 * @throws REPO_NOT_FOUND, REPO_BARE, REPO_EMPTY, REPO_INCOMPLETE, GIT_MISSING
 */
export async function inspectRepository({ git, path }: { git: Git; path: string }): Promise<RepositoryFacts> {
  const found = await git(
    ['rev-parse', '--path-format=absolute', '--is-bare-repository', '--git-common-dir'],
    { cwd: path },
  );
  if (found.exitCode !== 0) throw notFound(path, found.stderr);
  const [, isBare, gitDir = ''] = /^(\w+)\n(.*)\n$/s.exec(found.stdout) ?? [];
  if (isBare === 'true') {
    throw new BatonError('REPO_BARE', `${path} is a bare repository: it has no working tree.`, {
      fix: 'Make a checkout of it (git clone) and run Baton there.',
    });
  }
  const root = (await git(['rev-parse', '--show-toplevel'], { cwd: path })).stdout.replace(/\n$/, '');
  if (root === '')
    throw new BatonError('REPO_NOT_FOUND', `${path} is inside the git folder, not in the working tree.`, {
      fix: `Go to the working tree: \`cd ${shellWord(gitDir.replace(/\/\.git$/, ''))}\`.`,
    });
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { cwd: root });
  if (head.exitCode !== 0) {
    const from = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { cwd: path });
    if (from.exitCode === 0) throw noWayBack(root, gitDir);
    await refuseBroken(git, root);
    throw await noCommit(git, root);
  }
  const named = await git(['symbolic-ref', '--quiet', 'HEAD'], { cwd: root });
  return {
    root,
    gitDir,
    branch: named.exitCode === 0 ? branchIn(named.stdout.trimEnd()) : null,
    headCommit: head.stdout.trimEnd(),
    dirtyFiles: await changedFiles(git, root),
  };
}

/** The branch of a full ref. Git's own short names differ where a tag has the same name: `heads/main`. */
function branchIn(ref: string): string | null {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
}

const firstCommit = '`git add . && git commit --allow-empty -m "first commit"`';
const mostBranches = 5;

/** A HEAD without a commit may be a new branch beside others. */
async function noCommit(git: Git, root: string): Promise<BatonError> {
  const count = `--count=${mostBranches}`;
  const args = ['for-each-ref', count, '--sort=-committerdate', '--format=%(refname)', 'refs/heads/'];
  const others = (await git(args, { cwd: root })).stdout.split('\n').flatMap((ref) => branchIn(ref) ?? []);
  const [newest] = others;
  if (newest === undefined)
    return new BatonError('REPO_EMPTY', `The repository ${root} has no commit yet.`, {
      fix: `Commit something first: ${firstCommit}.`,
    });
  const named = await git(['symbolic-ref', '--quiet', 'HEAD'], { cwd: root });
  const own = printableLine(branchIn(named.stdout.trimEnd()) ?? 'HEAD');
  return new BatonError(
    'REPO_EMPTY',
    `The branch ${own}, which is checked out in ${root}, has no commit yet; others have: ${others.map(printableLine).join(', ')}.`,
    {
      fix: `Check out one with commits (\`git switch ${shellWord(newest)}\`), or begin this one: ${firstCommit}.`,
    },
  );
}

/** Refuses a HEAD that names something which cannot be read: only a branch that is not there yet has no commit. @throws REPO_INCOMPLETE */
async function refuseBroken(git: Git, root: string): Promise<void> {
  const named = await git(['symbolic-ref', '--quiet', 'HEAD'], { cwd: root });
  const ref = named.exitCode === 0 ? named.stdout.trimEnd() : 'HEAD';
  const [read, place] = await Promise.all([
    git(['rev-parse', '--verify', 'HEAD'], { cwd: root }),
    git(['rev-parse', '--path-format=absolute', '--git-path', ref], { cwd: root }),
  ]);
  const said = read.stderr
    .split('\n')
    .filter((line) => /^(error|fatal): (?!Needed a single revision)/.test(line))
    .join('\n');
  // Git leaves empty folders where branches were.
  const stands =
    lstatSync(place.stdout.replace(/\n$/, ''), { throwIfNoEntry: false })?.isDirectory() === false;
  if (read.exitCode !== 0 && said === '' && !stands) return;
  throw new BatonError(
    'REPO_INCOMPLETE',
    `${root} has a commit that git cannot read, named by ${ref}${said === '' ? '' : `: ${said.slice(0, 500)}`}.`,
    { fix: seeWhatIsBroken(root), at: root },
  );
}

/** `core.worktree` names a folder where git would not find this repository. */
function noWayBack(root: string, gitDir: string): BatonError {
  if (!existsSync(root))
    return new BatonError(
      'REPO_NOT_FOUND',
      `${root}, the working tree that core.worktree names, is not there.`,
      {
        fix: `Bring it back, or let the repository have the usual one: \`git --git-dir=${shellWord(gitDir)} config --unset core.worktree\`.`,
      },
    );
  return new BatonError(
    'REPO_NOT_FOUND',
    `${root}, the working tree that core.worktree names, does not lead back to its repository ${gitDir}.`,
    { fix: `Let it lead there: \`echo ${shellWord(`gitdir: ${gitDir}`)} > ${shellWord(`${root}/.git`)}\`` },
  );
}

function notFound(path: string, said: string): BatonError {
  // The names of extensions come on lines of their own.
  const why =
    (isTooNew(said) ? said.replaceAll(/\s+/g, ' ') : said).trim().split('\n')[0] || 'no such folder';
  return new BatonError('REPO_NOT_FOUND', `${path} is not in a git repository that can be used: ${why}`, {
    fix: wayToRepository(path, said),
  });
}

/** Whether git says that the repository has a format which only a newer git knows. */
const isTooNew = (said: string): boolean =>
  /unknown repository extension|Expected git repo version/.test(said);

function wayToRepository(path: string, said: string): string {
  if (isTooNew(said))
    return 'The repository was made with a newer git than the one in PATH (`git --version`). Update that, or put the newer one first in PATH.';
  if (said.includes('dubious ownership'))
    return `The repository belongs to another user. If you trust it, say so to git: \`git config --global --add safe.directory ${shellWord(rootIn(said) ?? path)}\`; else run Baton as that user.`;
  // What is no UTF-8 was replaced when the path was read, so that it leads nowhere.
  if (said.trim() === '' && path.includes('\ufffd'))
    return 'The name of a folder on its path is no UTF-8 text: rename that folder, or make a clone where all names are, and run Baton there.';
  // One that is there and broken is not to be made again: git would make another in its place.
  if (said.trim() !== '' && !said.includes('(or any'))
    return `Put that right: \`git -C ${shellWord(path)} status\` must work there.`;
  return 'Run Baton inside a git repository, or make one: `git init && git add . && git commit --allow-empty -m "first commit"`.';
}

/** The folder that git refused. */
function rootIn(said: string): string | undefined {
  return /repository at '(.*)'/.exec(said)?.[1];
}

async function changedFiles(git: Git, root: string): Promise<string[]> {
  const args = [
    'status',
    '--porcelain=v1',
    '-z',
    '--untracked-files=no',
    '--ignore-submodules=dirty',
    '--no-renames',
  ];
  const look = async (userFiles: boolean): Promise<string[]> => {
    const printed = await gitText(git, args, { cwd: root, userFiles });
    return printed
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => line.slice(3));
  };
  // What looks edited to the repository's settings alone may be what the user's own settings make of a file.
  const changed = await look(false);
  return changed.length === 0 ? changed : look(true);
}
