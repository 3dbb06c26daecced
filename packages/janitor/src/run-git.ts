import {
  BatonError,
  printable,
  shellWord,
  type ExecResult,
  type Git,
  type GitOptions,
} from '@baton/contracts';

/** The error of a git command that ended otherwise than expected. */
export function gitFailed(args: readonly string[], result: ExecResult): BatonError {
  const end = result.timedOut
    ? 'ran out of time'
    : result.truncated && result.exitCode === 0
      ? 'printed more than is kept'
      : `ended with ${result.exitCode ?? result.signal ?? result.spawnError}`;
  if (result.spawnError === 'CWD_MISSING')
    return new BatonError(
      'GIT_FAILED',
      `git ${args.slice(0, 6).join(' ')} cannot run: the folder of the repository is gone.`,
      { fix: 'Put the repository back where it was.', details: { exitCode: null, timedOut: false } },
    );
  return new BatonError('GIT_FAILED', `git ${args.slice(0, 6).join(' ')} ${end}: ${wordsOf(result.stderr)}`, {
    fix: fixOf(result.stderr),
    details: { exitCode: result.exitCode, timedOut: result.timedOut },
  });
}

/** What git said, as it may be shown: of long texts the beginning, where git complains, and the end, where a remote does. */
function wordsOf(stderr: string): string {
  // A remote may print megabytes. Git ends its lines with spaces, to write over longer ones.
  const said = bothEnds(stderr.trim(), 2_000).replaceAll(/ *\r?\n| *\r/g, '\n');
  return bothEnds(printable(said), 450);
}

function bothEnds(text: string, most: number): string {
  const first = Math.floor(most / 3);
  return text.length <= first + most ? text : `${text.slice(0, first)} … ${text.slice(-most)}`;
}

/** What git says where the system or a remote does not let it, and what a person does about that. */
const refusals = [
  {
    said: /does not support --atomic push/,
    fix: 'The host of the remote cannot move several branches at once (`git push --atomic`), which Baton needs. Work in a checkout of it on this machine, and push from there.',
  },
  {
    said: /refusing to update checked out branch|\((?:Working directory|Up-to-date check)/,
    fix: 'The target is checked out in the remote repository. Check out another branch there, or name a bare repository.',
  },
  {
    said: /Permission denied \(|Could not read from remote repository|Authentication failed|Could not resolve host|unable to access/,
    fix: 'Let the user who runs Baton reach the remote repository: see to its address, keys and network.',
  },
  {
    said: /RPC failed|remote end hung up|unexpected disconnect|early EOF|Connection (?:refused|reset|timed out)/,
    fix: 'The host of the remote gave no whole answer. Baton tries again, and looks first whether the push took effect; if it persists, see to the host and the network.',
  },
  {
    said: /Permission denied|Operation not permitted|insufficient permission|unable to create directory/,
    fix: 'Let the user who runs Baton write in the git folder of the repository, or run Baton as its owner.',
  },
  {
    said: /Read-only file system/,
    fix: 'Work in a clone on a file system that can be written, or mount this one so.',
  },
  {
    said: /not a git repository: .*\/worktrees\//,
    fix: 'The repository was moved since one of its worktrees was made. Run `git worktree repair` in the repository, then try again.',
  },
  {
    said: /^error: object [0-9a-f]{40,64}: \w+: |fsck error in packed object/m,
    fix: 'Settings of the repository (`git config --get-regexp fsckObjects`) refuse what the agent made. Cancel the task with `baton cancel`, or let it in: `git config fetch.fsckObjects false`.',
  },
  {
    said: /Not a valid (?:commit|object) name|expected commit type|trying to write non-commit object/,
    fix: 'Give the id of a commit that is in this repository; `publishCandidate` brings one there.',
  },
  { said: /No space left on device|Disk quota exceeded/, fix: 'Free room on the disk of the repository.' },
];

/** What a shell says of a filter, such as that of Git LFS, whose program is not there; it follows with what git says of the filter's end. */
const noProgram = /^.*: (?:\d+: |line \d+: )?(\S+): (?:command )?not found$/m;

function fixOf(stderr: string): string {
  const missing = noProgram.exec(stderr)?.[1];
  if (missing !== undefined)
    return `Install ${missing}, which the git settings of this repository or user name, then try again: git itself cannot write such files without it.`;
  const refusal = refusals.find(({ said }) => said.test(stderr));
  if (refusal !== undefined) return refusal.fix;
  const [, inTheWay] =
    /cannot lock ref '[^']+': 'refs\/heads\/([^']+)' exists; cannot create/.exec(stderr) ?? [];
  if (inTheWay !== undefined)
    return `The branch ${inTheWay} is in the way, since git keeps branches as files in folders. Rename it: \`git branch -m ${shellWord(inTheWay)} ${shellWord(`${inTheWay.replaceAll('/', '-')}-before`)}\`.`;
  const lock = /Unable to create '([^']+\.lock)'/.exec(stderr)?.[1];
  if (lock !== undefined) return `Wait for the git process that holds it; if there is none, remove ${lock}.`;
  return /\[remote rejected\]/.test(stderr)
    ? 'Let the user who runs Baton push the target and `refs/baton/*` there: its rules for branches, hooks or limits are against it.'
    : 'Try again; if it persists, run `git fsck` in the repository.';
}

/** Whether an error is that of a git that came to its end by itself: it has removed its own locks, and any left are another's. */
export function gitEnded(cause: unknown): boolean {
  if (!BatonError.is(cause, 'GIT_FAILED')) return false;
  const { exitCode, timedOut } = cause.details ?? {};
  return typeof exitCode === 'number' && timedOut !== true;
}

/**
 * The whole stdout of a git command that must succeed. Cut output counts as a failure: half an answer must never decide.
 * @throws GIT_FAILED
 */
export async function gitText(git: Git, args: readonly string[], options: GitOptions): Promise<string> {
  const result = await git(args, options);
  if (result.exitCode !== 0 || result.truncated) throw gitFailed(args, result);
  return result.stdout;
}

/** As {@link gitText}, without the white space around it. @throws GIT_FAILED */
export async function gitLine(git: Git, args: readonly string[], options: GitOptions): Promise<string> {
  return (await gitText(git, args, options)).trim();
}

/** Whether a git command that answers by exit code 0 or 1 said yes. @throws GIT_FAILED on any other end */
export async function gitSays(git: Git, args: readonly string[], options: GitOptions): Promise<boolean> {
  const result = await git(args, options);
  if (result.exitCode === 0) return true;
  if (result.exitCode === 1) return false;
  throw gitFailed(args, result);
}

/** The object id that a revision names, or null. */
export async function resolve(git: Git, revision: string, options: GitOptions): Promise<string | null> {
  const result = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', revision], options);
  return result.exitCode === 0 ? result.stdout.trim() : null;
}

/** The fields of NUL-terminated output. */
export function fields(text: string): string[] {
  return text.split('\0').filter((field) => field !== '');
}
