import { availableParallelism } from 'node:os';
import {
  BatonError,
  printable,
  printableLine,
  type Exec,
  type ExecResult,
  type Git,
  type GitOptions,
} from '@baton/contracts';
import { noRoom, roomToMake } from '../process/no-room.ts';
import { createTrust } from './trusted-folders.ts';
import { createConversions } from './user-conversions.ts';

const defaultTimeoutMs = 120_000;
/** How long git may take to say its version: it looks at nothing for it. */
const versionMs = 20_000;
const maxOutputBytes = 64 * 1024 * 1024;
const oldest = [2, 38] as const;

/**
 * Settings that outrank those of any repository: nothing that an agent wrote into one runs at our git calls.
 * Source: docs/spec/agents.md#git.
 */
const settings: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.pager=cat',
  'core.editor=false',
  'core.sshCommand=ssh -oBatchMode=yes',
  'core.quotePath=false',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'push.gpgSign=false',
  'protocol.ext.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
  // A checkout of many files uses several processors; one alone takes ext4 ten times as long after many files were removed.
  `checkout.workers=${Math.min(4, availableParallelism())}`,
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'user.useConfigOnly=true',
  // What is read of git looks the same in every repository. Each is git's own default.
  'color.ui=false',
  'column.ui=never',
  'diff.context=3',
  'diff.interHunkContext=0',
  'diff.noprefix=false',
  'diff.mnemonicPrefix=false',
  'diff.srcPrefix=a/',
  'diff.dstPrefix=b/',
  'diff.relative=false',
  'diff.suppressBlankEmpty=false',
  'diff.algorithm=myers',
  'diff.orderFile=/dev/null',
  'i18n.logOutputEncoding=UTF-8',
  'log.showSignature=false',
  'log.mailmap=true',
  'log.follow=false',
  'status.relativePaths=true',
  'status.showUntrackedFiles=normal',
  'status.branch=false',
  'status.short=false',
  'status.showStash=false',
];

const environment: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  GIT_EDITOR: 'false',
  GIT_OPTIONAL_LOCKS: '0', // reading never writes the user's index
  GIT_NO_REPLACE_OBJECTS: '1', // a planted replacement would show us another commit than others see
  GIT_GRAFT_FILE: '/dev/null', // and other parents
  GIT_NO_LAZY_FETCH: '1',
  GIT_LITERAL_PATHSPECS: '0',
  GIT_AUTHOR_NAME: 'Baton',
  GIT_AUTHOR_EMAIL: 'baton@localhost',
  GIT_COMMITTER_NAME: 'Baton',
  GIT_COMMITTER_EMAIL: 'baton@localhost',
  LC_ALL: 'C',
};

/** What of the operator's environment a git of ours needs: to be found, to reach remotes, to have scratch space. */
const passedOn = [
  'PATH',
  'HOME',
  'TMPDIR',
  'SSH_AUTH_SOCK',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/** The attributes that git looks for in the operator's home decide how files merge, on this machine alone. */
const noAttributes = ['-c', 'core.attributesFile=/dev/null'];

/** What every git of ours is started with: arguments that stand before the command's own, and the environment. */
export function hardenedGit(env: Readonly<Record<string, string | undefined>>): {
  prefix: string[];
  env: Record<string, string>;
} {
  const base = Object.fromEntries(
    passedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  return { prefix: settings.flatMap((setting) => ['-c', setting]), env: { ...base, ...environment } };
}

/**
 * Makes the function that runs hardened git commands: own identity, no hooks, no fsmonitor, no prompt, no signing, no
 * `ext::` protocol, neither the system's nor the user's settings but for `safe.directory` and, on files of the user's checkout
 * (`userFiles`), how those are converted.
 *
 * @param options.env The operator's environment; only what git needs of it is passed on.
 * @throws GIT_MISSING when git cannot be started; GIT_FAILED when there is no room for its process.
 */
export function createGit(given: { exec: Exec; env: Readonly<Record<string, string | undefined>> }): Git {
  const { exec } = given;
  const { prefix, env } = hardenedGit(given.env);
  const trust = createTrust(given);
  const conversions = createConversions(given);
  // No await before the start: the stack then shows the caller.
  const start = (
    args: readonly string[],
    { options, more }: { options: GitOptions; more: Record<string, string> },
  ): Promise<ExecResult> =>
    exec(['git', ...prefix, ...(options.userFiles === true ? [] : noAttributes), ...args], {
      cwd: options.cwd,
      env: { ...env, ...trust.env(), ...more, ...options.env },
      timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
      maxOutputBytes,
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(options.finishes === undefined ? {} : { finishes: options.finishes }),
    });
  const run = (args: readonly string[], options: GitOptions): Promise<ExecResult> =>
    options.userFiles === true
      ? conversions.env(options.cwd, trust.env()).then((more) => start(args, { options, more }))
      : start(args, { options, more: {} });
  return async (args, options) => {
    let result = await run(args, options);
    // Another user owns the repository: whether it is trusted is the operator's word, as it is now.
    if (result.exitCode !== 0 && result.stderr.includes('dubious ownership') && (await trust.ask()))
      result = await run(args, options);
    if (result.spawnError === undefined || result.spawnError === 'CWD_MISSING') return result;
    throw (
      noRoom('git', { error: result.spawnError, code: 'GIT_FAILED' }) ??
      new BatonError('GIT_MISSING', `git cannot be started (${result.spawnError}).`, {
        fix: 'Install git 2.38 or newer and see that it is in PATH.',
      })
    );
  };
}

/**
 * Runs a git command that must succeed and returns its output without the last line break.
 *
 * @throws GIT_FAILED with git's own words.
 */
export async function gitText(git: Git, args: readonly string[], options: GitOptions): Promise<string> {
  const result = await git(args, options);
  if (result.exitCode === 0 && !result.truncated) return result.stdout.replace(/\n$/, '');
  throw gitFailure(args, result);
}

/** The error for a git command that should have succeeded. */
export function gitFailure(args: readonly string[], result: ExecResult): BatonError {
  const said = printable((result.stderr.trim() || result.stdout.trim()).slice(0, 2_000));
  const how = result.timedOut
    ? 'took too long'
    : result.truncated
      ? 'printed too much'
      : `ended with ${result.exitCode ?? result.signal ?? result.spawnError}`;
  return new BatonError('GIT_FAILED', `git ${args.slice(0, 4).join(' ')} ${how}: ${said || 'no message'}`, {
    fix: result.timedOut
      ? 'Run the command by hand in the folder and see what it waits for: a filter or another program that the settings of git name (`git config --list --show-origin`), a question, a slow disk or network.'
      : (roomToMake(said) ??
        'If the message does not explain it: run the command by hand in the folder, and `baton doctor`.'),
    details: { args: args.slice(0, 12), exitCode: result.exitCode },
  });
}

/**
 * Makes sure that there is a git, new enough for `merge-tree --write-tree`.
 *
 * @returns Its version, e.g. "2.39.5".
 * @throws GIT_MISSING, GIT_TOO_OLD; GIT_FAILED when what is called git says something else, or nothing
 */
export async function requireGit(git: Git): Promise<string> {
  const printed = await gitText(git, ['--version'], { cwd: '/', timeoutMs: versionMs });
  if (!/^git version /.test(printed)) throw notGit(printed);
  const [version = '', major = '0', minor = '0'] = /(\d+)\.(\d+)[\w.]*/.exec(printed) ?? [];
  const isNewer = Number(major) > oldest[0] || (Number(major) === oldest[0] && Number(minor) >= oldest[1]);
  if (isNewer) return version;
  throw new BatonError(
    'GIT_TOO_OLD',
    `git ${version || 'of unknown version'} is too old: 2.38 or newer is needed.`,
    {
      fix: 'Update git: your package manager, or https://git-scm.com/downloads.',
      details: { version },
    },
  );
}

/** A wrapper that prints lines of its own: each answer of git would be read wrongly. */
function notGit(printed: string): BatonError {
  const first = printableLine(printed.slice(0, 200).split('\n')[0] ?? '');
  return new BatonError(
    'GIT_FAILED',
    `git --version does not begin with "git version", but with "${first}".`,
    {
      fix: 'The first git in PATH (`command -v git`) is another program, or prints lines of its own: let it print those to stderr, or put another git first in PATH.',
      details: { printed: printed.slice(0, 2_000) },
    },
  );
}

/**
 * Checks that a name can be a branch or ref, by the rules of git-check-ref-format, and is none that reads as an option.
 *
 * @returns The name itself.
 * @throws REF_INVALID
 */
export function validateRefName(name: string): string {
  const parts = name.split('/');
  const isWrong =
    name === '' ||
    name === '@' ||
    name.startsWith('-') ||
    name.length > 240 ||
    /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{/.test(name) ||
    parts.some((part) => part === '' || part.startsWith('.') || part.endsWith('.') || part.endsWith('.lock'));
  if (!isWrong) return name;
  throw new BatonError('REF_INVALID', `"${name}" cannot be the name of a branch.`, {
    fix: 'Use letters, digits, "-", "_", "." and "/", and no part that begins or ends with a dot.',
    details: { name },
  });
}
