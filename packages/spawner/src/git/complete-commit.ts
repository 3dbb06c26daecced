import { BatonError, shellWord, type Git } from '@baton/contracts';
import { gitFailure } from './git.ts';

/** A commit of a repository. */
export interface CommitPlace {
  git: Git;
  /** Absolute path of the repository, bare or not. */
  repo: string;
  commit: string;
}

/** How git says that an object is not there, or is there and cannot be read: a power cut leaves empty files. */
const unreadable =
  /missing|bad object|unable to (read|unpack|parse)|is (empty|corrupt)|inflate|cannot (read|open) object/i;
const patience = { timeoutMs: 10 * 60_000 };

/**
 * Counts the files and folders of a commit whose content the repository does not have, or has as what is no object: a partial clone
 * fetches them when somebody asks for them, which Baton's git does not. Nothing is fetched. @throws GIT_FAILED
 */
export async function missingObjects({ git, repo, commit }: CommitPlace): Promise<number> {
  const args = ['rev-list', '--objects', '--no-walk', '--missing=print', '--end-of-options', commit];
  const listed = await git(args, { cwd: repo, ...patience });
  if (listed.exitCode !== 0 && unreadable.test(listed.stderr)) return 1;
  if (listed.exitCode !== 0 || listed.truncated) throw gitFailure(args, listed);
  const lines = listed.stdout.split('\n').filter((line) => line !== '');
  const missing = lines.filter((line) => line.startsWith('?')).length;
  if (missing > 0) return missing;
  // Files are listed unread: what is there may still be no object.
  const look = ['cat-file', '--batch-check=%(objecttype)', '--buffer'];
  const stdin = lines.map((line) => `${line.split(' ', 1)[0] ?? ''}\n`).join('');
  const read = await git(look, { cwd: repo, stdin, ...patience });
  if (read.exitCode !== 0 && unreadable.test(read.stderr)) return 1;
  if (read.exitCode !== 0 || read.truncated) throw gitFailure(look, read);
  return read.stdout.split('\n').filter((line) => line.endsWith(' missing')).length;
}

/**
 * Refuses a commit that is not there in full, with the command that brings what is missing.
 *
 * @param options.location What the user calls the repository; default `repo`.
 * @throws REPO_INCOMPLETE, GIT_FAILED
 */
export async function requireCompleteCommit(options: CommitPlace & { location?: string }): Promise<void> {
  const missing = await missingObjects(options);
  if (missing === 0) return;
  const { git, repo, commit, location = repo } = options;
  const remote = await promisorOf(git, location);
  const fix =
    remote === null
      ? seeWhatIsBroken(location)
      : `Fetch what is missing: \`git -C ${shellWord(location)} fetch --refetch --no-filter ${shellWord(remote)}\``;
  throw new BatonError(
    'REPO_INCOMPLETE',
    `${location} lacks ${missing === 1 ? 'an object' : `${missing} objects`} of commit ${commit.slice(0, 12)}${remote === null ? '' : ': it is a partial clone'}.`,
    { fix, at: location, details: { missing, commit } },
  );
}

/** What to do about objects or refs that nothing can be fetched for. */
export function seeWhatIsBroken(location: string): string {
  return `See what is broken: \`git -C ${shellWord(location)} fsck\`; objects of another clone of it mend it.`;
}

/** The remote that a partial clone fetches from when something is missing; null: it is none. */
async function promisorOf(git: Git, repo: string): Promise<string | null> {
  const read = async (...args: string[]) =>
    (await git(['config', ...args], { cwd: repo })).stdout.split('\n')[0] ?? '';
  const named = await read('--get', 'extensions.partialClone');
  if (named !== '') return named;
  const key = await read('--name-only', '--get-regexp', String.raw`^remote\..*\.promisor$`);
  return /^remote\.(.+)\.promisor$/i.exec(key)?.[1] ?? null;
}
